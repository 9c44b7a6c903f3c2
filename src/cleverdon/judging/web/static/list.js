// Judging in a list: judgments are sent in the background, and the list stays in place.

import "./double_clicks.js";
import { dialogOf } from "./dialogs.js";
import { lastJudgment } from "./own_judgments.js";
import "./assessor.js";
import { listen } from "./keys.js";
import { Progress } from "./progress.js";
import { call, changes, queue, state } from "./sending.js";
import * as judgments from "./judgment.js";
import { showMessage } from "./status.js";

const { query } = document.getElementById("listing").dataset;
const progress = new Progress(query);
const rows = [...document.querySelectorAll(".row")];
const end = document.getElementById("end");
const help = document.getElementById("help");
const announced = document.getElementById("announced");
const openSkip = dialogOf(document.getElementById("skip").closest("details"));
const openNote = dialogOf(document.getElementById("note").closest("details"));
let inDialog = null; // the row that the open dialog is about
let undoable = []; // events that undo takes back, with the judgment before each

const rowOf = (item) => document.getElementById(`item-${item}`);
const titleOf = (row) => row.querySelector("h2 a");
const judgmentOf = (row) => JSON.parse(row.dataset.judgment);
const focused = () => document.activeElement.closest(".row");

function showIn(row, judgment) {
  row.dataset.judgment = JSON.stringify(judgment);
  judgments.show(judgment, row.querySelector(".judgment"), row.querySelectorAll("button.grade"));
  row.querySelector(".noted").textContent = judgment.note;
}

function record(row, values) {
  const before = judgmentOf(row);
  const request = send(row, judgments.applyEvent(before, values), values);
  undoable.push({ item: Number(row.dataset.item), before, request });
  announced.textContent = judgments.announcement(values);
}

function send(row, judgment, values) {
  const request = queue({
    ...values,
    item: Number(row.dataset.item),
    query,
    label: titleOf(row).textContent,
    description: judgments.describe(values),
    change: judgments.isDone(judgment) - judgments.isDone(judgmentOf(row)),
  });
  showIn(row, judgment);
  return request;
}

async function undo() {
  const last = undoable.pop() ?? (await judgmentBefore());
  if (!last) return;
  const row = rowOf(last.item);
  if (row) {
    send(row, last.before ?? judgmentOf(row), { kind: "undo", undoes: last.request });
    titleOf(row).focus();
    announced.textContent = "Undone.";
    return;
  }
  const label = last.title || last.document;
  const description = judgments.describe({ kind: "undo" });
  queue({ kind: "undo", item: last.item, query, label, description });
  showMessage(`Your judgment of “${label}” is undone: load this page again to see it.`);
}

// The last judgment that was made before this page was loaded.
async function judgmentBefore() {
  const { found, why, untilSent } = await lastJudgment(query);
  if (!found) showMessage(why, { untilSent });
  return found;
}

addEventListener("submit", (event) => {
  const { kind } = event.target.dataset;
  if (!kind) return;
  event.preventDefault();
  if (kind === "grade") {
    record(event.target.closest(".row"), { kind, grade: Number(event.submitter.value) });
  } else {
    record(inDialog, { kind, text: new FormData(event.target).get("text") });
    if (kind === "skip") move(1);
  }
});

changes.addEventListener("answered", ({ detail: { judgmentEvent, answer } }) => {
  progress.update(judgmentEvent, answer);
  const row = rowOf(judgmentEvent.item);
  const more = state().waiting.some(({ item }) => item === judgmentEvent.item);
  if (row && !more) showIn(row, answer.standing);
});
changes.addEventListener("refused", async ({ detail: { judgmentEvent } }) => {
  const before = undoable.find(({ request }) => request === judgmentEvent.request)?.before;
  // Undoing a refused event would undo the one before it.
  undoable = undoable.filter(({ request }) => request !== judgmentEvent.request);
  const row = rowOf(judgmentEvent.item);
  const { answer } = await call(`/api/items/${judgmentEvent.item}`);
  const judgment = answer?.standing ?? before; // the item may no longer be visible
  if (row && judgment) showIn(row, judgment);
});
// It is now the latest event of its document, so undo takes it back first.
changes.addEventListener("requeued", ({ detail: { judgmentEvent } }) => {
  const row = rowOf(judgmentEvent.item);
  if (!row || judgmentEvent.kind === "undo") return;
  const before = judgmentOf(row);
  undoable.push({ item: judgmentEvent.item, before, request: judgmentEvent.request });
  showIn(row, judgments.applyEvent(before, judgmentEvent));
});
changes.addEventListener("changed", () => progress.show());

// The index of the focused row; behind the last row, of the link to more.
function position() {
  if (end.contains(document.activeElement)) return rows.length;
  return rows.indexOf(focused());
}

function move(by) {
  const to = Math.min(Math.max(position() + by, 0), rows.length);
  if (to < rows.length) {
    titleOf(rows[to]).focus();
  } else {
    (end.querySelector("a") ?? end).focus();
    explain();
  }
}

function explain() {
  if (position() < rows.length) showMessage("Press → to go to a document, then its grade.");
  else if (end.querySelector("a")) showMessage("The list ends here: press Enter for more.");
  else showMessage("The list ends here.");
}

// For the document that has the focus.
function withRow(act) {
  const row = focused();
  if (row) act(row);
  else explain();
}

function grade(value) {
  withRow((row) => {
    const button = row.querySelector(`button[name=grade][value="${value}"]`);
    if (button) {
      button.click();
      move(1);
    } else {
      showMessage(`There is no grade ${value} on this scale.`);
    }
  });
}

function openDialog(row, open) {
  inDialog = row;
  const { skipped, note } = judgmentOf(row);
  document.getElementById("skip-reason").value = skipped ?? "";
  document.getElementById("note-text").value = note;
  open();
}

listen({
  ArrowRight: () => move(1),
  ArrowLeft: () => move(-1),
  u: undo,
  s: () => withRow((row) => openDialog(row, openSkip)),
  n: () => withRow((row) => openDialog(row, openNote)),
  f: () => withRow((row) => record(row, { kind: "flag", flagged: !judgmentOf(row).flagged })),
  "?": () => help.showModal(),
  grade,
});
document.getElementById("show-keys").addEventListener("click", () => help.showModal());
document.documentElement.classList.add("scripted");

for (const { item, ...judgmentEvent } of state().waiting) {
  const row = rowOf(item);
  if (row) showIn(row, judgments.applyEvent(judgmentOf(row), judgmentEvent));
}
