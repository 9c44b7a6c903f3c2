// Keyboard shortcuts. They do nothing in text fields and dialogs.

const TYPING = "input, textarea, select, [contenteditable]";

// `actions` has a function by key, and `grade`, which is called with a number.
export function listen(actions) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    if (event.defaultPrevented || event.target.closest?.(TYPING)) return;
    if (document.querySelector("dialog[open]")) return;
    const digit = digitOf(event);
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const act = digit === null ? actions[key] : () => actions.grade(digit);
    if (!act) return;
    event.preventDefault();
    // A key that is held down moves, but judges nothing.
    if (!event.repeat || event.key.startsWith("Arrow")) act();
  });
}

// Also on keyboards with digits on the shift level, such as the French one.
function digitOf({ key, code, shiftKey }) {
  if (/^[0-9]$/.test(key)) return Number(key);
  const found = /^Digit([0-9])$/.exec(code);
  return found && !shiftKey && !/^[a-z]$/i.test(key) ? Number(found[1]) : null;
}
