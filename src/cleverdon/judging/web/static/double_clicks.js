// Ignore the second click of a double click: it would judge the next document unseen, or take a
// flag back. A button that is pressed by a key counts no clicks.

addEventListener("click", (event) => {
  if (event.detail > 1 && event.target.closest("form button")) event.preventDefault();
});
