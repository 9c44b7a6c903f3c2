// How a judgment stands, in records and on the page.

export const isDone = (standing) => standing.grade !== null || standing.skipped !== null;

// Whether there is something that could be undone.
export const isSaid = (standing) => isDone(standing) || standing.note !== "" || standing.flagged;

// What stands after something was said; to undo, one has to know what stood before.
export function after(standing, { kind, grade, text, flagged }) {
  if (kind === "grade") return { ...standing, grade, skipped: null };
  if (kind === "skip") return { ...standing, grade: null, skipped: text.trim() };
  if (kind === "note") return { ...standing, note: text.trim() };
  if (kind === "flag") return { ...standing, flagged };
  return standing;
}

export function nameOf(grade) {
  const button = document.querySelector(`button[name=grade][value="${grade}"] .grade-name`);
  return button ? `${grade} ${button.textContent}` : String(grade);
}

const WORDS = { skip: "Skipping", note: "A note", flag: "A flag", undo: "Undoing" };

export function words({ kind, grade }) {
  return kind === "grade" ? `Grade ${nameOf(grade)}` : WORDS[kind];
}

// For who does not see it: what was done just now.
export function announcement(values) {
  if (values.kind === "skip") return "Skipped.";
  if (values.kind === "note") return values.text.trim() ? "Note kept." : "Note removed.";
  if (values.kind === "flag") return values.flagged ? "Flagged." : "No longer flagged.";
  return `${words(values)}.`;
}

// Show it beside the buttons of a document.
export function show({ grade, skipped, flagged }, place, buttons) {
  const parts = [];
  if (grade !== null) parts.push(badge(nameOf(grade), `grade-${grade}`));
  else if (skipped !== null) parts.push(badge("Skipped", "skipped"), " ", apart(skipped));
  else parts.push(badge("Not judged", "open"));
  if (flagged) parts.push(" ", badge("Flagged", "flag"));
  place.replaceChildren(...parts);
  for (const button of buttons) {
    button.setAttribute("aria-pressed", String(Number(button.value) === grade));
  }
}

// In its own direction, whatever the page's is.
export function apart(text) {
  const made = document.createElement("bdi");
  made.textContent = text;
  return made;
}

function badge(text, name) {
  const made = document.createElement("span");
  made.className = `badge ${name}`;
  made.textContent = text;
  return made;
}
