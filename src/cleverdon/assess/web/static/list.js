// Many documents at once: what is said is sent behind the scenes, and the list stays where it is.

import "./clicks.js";
import { dialogOf } from "./dialogs.js";
import { lastSaid } from "./earlier.js";
import "./everywhere.js";
import { listen } from "./keys.js";
import { Progress } from "./progress.js";
import { call, changes, say, state } from "./sending.js";
import * as standings from "./standing.js";
import { tell } from "./status.js";

const { topic } = document.getElementById("listing").dataset;
const progress = new Progress(topic);
const rows = [...document.querySelectorAll(".row")];
const end = document.getElementById("end");
const help = document.getElementById("help");
const announced = document.getElementById("announced");
const skipping = dialogOf(document.getElementById("skip").closest("details"));
const noting = dialogOf(document.getElementById("note").closest("details"));
let asked = null; // the row that a dialog is about
let said = []; // what u takes back: items, and how they stood before

const rowOf = (item) => document.getElementById(`item-${item}`);
const titleOf = (row) => row.querySelector("h2 a");
const standingOf = (row) => JSON.parse(row.dataset.standing);
const focused = () => document.activeElement.closest(".row");

function showIn(row, standing) {
  row.dataset.standing = JSON.stringify(standing);
  standings.show(standing, row.querySelector(".standing"), row.querySelectorAll("button.grade"));
  row.querySelector(".noted").textContent = standing.note;
}

function record(row, values) {
  const before = standingOf(row);
  const request = send(row, standings.after(before, values), values);
  said.push({ item: Number(row.dataset.item), before, request });
  announced.textContent = standings.announcement(values);
}

function send(row, standing, values) {
  const request = say({
    ...values,
    item: Number(row.dataset.item),
    topic,
    label: titleOf(row).textContent,
    words: standings.words(values),
    change: standings.isDone(standing) - standings.isDone(standingOf(row)),
  });
  showIn(row, standing);
  return request;
}

async function undo() {
  const last = said.pop() ?? (await earlier());
  if (!last) return;
  const row = rowOf(last.item);
  if (row) {
    send(row, last.before ?? standingOf(row), { kind: "undo", undoes: last.request });
    titleOf(row).focus();
    announced.textContent = "Undone.";
    return;
  }
  const label = last.title || last.document;
  const words = standings.words({ kind: "undo" });
  say({ kind: "undo", item: last.item, topic, label, words });
  tell(`What you said of “${label}” is undone: load this page again to see it.`);
}

// What was said before this page was loaded.
async function earlier() {
  const { found, why, untilSent } = await lastSaid(topic);
  if (!found) tell(why, { untilSent });
  return found;
}

addEventListener("submit", (event) => {
  const { say: kind } = event.target.dataset;
  if (!kind) return;
  event.preventDefault();
  if (kind === "grade") {
    record(event.target.closest(".row"), { kind, grade: Number(event.submitter.value) });
  } else {
    record(asked, { kind, text: new FormData(event.target).get("text") });
    if (kind === "skip") move(1);
  }
});

changes.addEventListener("told", ({ detail: { saying, answer } }) => {
  progress.told(saying, answer);
  const row = rowOf(saying.item);
  const more = state().waiting.some(({ item }) => item === saying.item);
  if (row && !more) showIn(row, answer.standing);
});
changes.addEventListener("refused", async ({ detail: { saying } }) => {
  const before = said.find(({ request }) => request === saying.request)?.before;
  // To undo what was not taken would take back what stood before it.
  said = said.filter(({ request }) => request !== saying.request);
  const row = rowOf(saying.item);
  const { answer } = await call(`/api/items/${saying.item}`);
  const standing = answer?.standing ?? before; // which may not be told any more
  if (row && standing) showIn(row, standing);
});
// It is the last word on its document now, so that u takes it back first.
changes.addEventListener("again", ({ detail: { saying } }) => {
  const row = rowOf(saying.item);
  if (!row || saying.kind === "undo") return;
  const before = standingOf(row);
  said.push({ item: saying.item, before, request: saying.request });
  showIn(row, standings.after(before, saying));
});
changes.addEventListener("changed", () => progress.show());

// Among the rows; behind the last one it is where the list goes on.
function place() {
  if (end.contains(document.activeElement)) return rows.length;
  return rows.indexOf(focused());
}

function move(by) {
  const to = Math.min(Math.max(place() + by, 0), rows.length);
  if (to < rows.length) {
    titleOf(rows[to]).focus();
  } else {
    (end.querySelector("a") ?? end).focus();
    explain();
  }
}

function explain() {
  if (place() < rows.length) tell("Press → to go to a document, then its grade.");
  else if (end.querySelector("a")) tell("The list ends here: press Enter for more.");
  else tell("The list ends here.");
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
      tell(`There is no grade ${value} on this scale.`);
    }
  });
}

function ask(row, open) {
  asked = row;
  const { skipped, note } = standingOf(row);
  document.getElementById("skip-reason").value = skipped ?? "";
  document.getElementById("note-text").value = note;
  open();
}

listen({
  ArrowRight: () => move(1),
  ArrowLeft: () => move(-1),
  u: undo,
  s: () => withRow((row) => ask(row, skipping)),
  n: () => withRow((row) => ask(row, noting)),
  f: () => withRow((row) => record(row, { kind: "flag", flagged: !standingOf(row).flagged })),
  "?": () => help.showModal(),
  grade,
});
document.getElementById("ask").addEventListener("click", () => help.showModal());
document.documentElement.classList.add("scripted");

for (const { item, ...saying } of state().waiting) {
  const row = rowOf(item);
  if (row) showIn(row, standings.after(standingOf(row), saying));
}
