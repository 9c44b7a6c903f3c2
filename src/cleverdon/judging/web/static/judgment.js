// A judgment of one document: its state, its description, its badges on the page.

export const isDone = (judgment) => judgment.grade !== null || judgment.skipped !== null;

// Whether there is something to undo.
export const canUndo = (judgment) => isDone(judgment) || judgment.note !== "" || judgment.flagged;

// The judgment after an event. An undo needs the judgment before, which the caller knows.
export function applyEvent(judgment, { kind, grade, text, flagged }) {
  if (kind === "grade") return { ...judgment, grade, skipped: null };
  if (kind === "skip") return { ...judgment, grade: null, skipped: text.trim() };
  if (kind === "note") return { ...judgment, note: text.trim() };
  if (kind === "flag") return { ...judgment, flagged };
  return judgment;
}

export function nameOf(grade) {
  const button = document.querySelector(`button[name=grade][value="${grade}"] .grade-name`);
  return button ? `${grade} ${button.textContent}` : String(grade);
}

const DESCRIPTIONS = { skip: "Skipping", note: "A note", flag: "A flag", undo: "Undoing" };

export function describe({ kind, grade }) {
  return kind === "grade" ? `Grade ${nameOf(grade)}` : DESCRIPTIONS[kind];
}

// The text for screen readers after an event.
export function announcement(values) {
  if (values.kind === "skip") return "Skipped.";
  if (values.kind === "note") return values.text.trim() ? "Note kept." : "Note removed.";
  if (values.kind === "flag") return values.flagged ? "Flagged." : "No longer flagged.";
  return `${describe(values)}.`;
}

// Show a judgment beside the buttons of a document.
export function show({ grade, skipped, flagged }, container, buttons) {
  const parts = [];
  if (grade !== null) parts.push(badge(nameOf(grade), `grade-${grade}`));
  else if (skipped !== null) parts.push(badge("Skipped", "skipped"), " ", isolated(skipped));
  else parts.push(badge("Not judged", "open"));
  if (flagged) parts.push(" ", badge("Flagged", "flag"));
  container.replaceChildren(...parts);
  for (const button of buttons) {
    button.setAttribute("aria-pressed", String(Number(button.value) === grade));
  }
}

// Text in its own direction, independent of the page's.
export function isolated(text) {
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
