// The forms for reasons and notes as dialogs; without scripts they unfold in place.

export const isAsking = () => document.querySelector("dialog[open]") !== null;

// Turn an unfolding form into a button and a dialog; returns the function that opens it.
export function dialogOf(details, begin = () => {}) {
  const form = details.querySelector("form");
  const dialog = document.createElement("dialog");
  const title = document.createElement("h2");
  title.textContent = details.dataset.title;
  title.id = `${form.id}-title`;
  dialog.setAttribute("aria-labelledby", title.id);
  dialog.append(title, form);

  const cancel = document.createElement("button");
  cancel.type = "button";
  cancel.textContent = "Cancel";
  cancel.addEventListener("click", () => dialog.close());
  form.append(cancel);
  form.addEventListener("submit", () => dialog.close());
  sendByKeys(form);

  const opener = document.createElement("button");
  opener.type = "button";
  opener.setAttribute("aria-haspopup", "dialog");
  opener.append(...details.querySelector("summary").childNodes);
  const open = () => {
    begin();
    dialog.showModal();
    form.querySelector("input[name=text], textarea").select();
  };
  opener.addEventListener("click", open);
  details.replaceWith(opener);
  document.body.append(dialog);
  return open;
}

// Ctrl and Enter submit a form.
function sendByKeys(form) {
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
}
