// The second click of a double click would speak of the next document, which nobody has seen yet,
// or take a flag back at once. A button that is pressed by a key counts no clicks.

addEventListener("click", (event) => {
  if (event.detail > 1 && event.target.closest("form button")) event.preventDefault();
});
