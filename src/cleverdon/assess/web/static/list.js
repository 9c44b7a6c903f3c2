// Many documents at once: a grade is sent behind the scenes, and the list stays where it is.

import "./clicks.js";
import "./everywhere.js";
import { listen } from "./keys.js";
import { Progress } from "./progress.js";
import { call, changes, say, state } from "./sending.js";
import * as standings from "./standing.js";
import { tell } from "./status.js";

const { topic } = document.getElementById("listing").dataset;
const progress = new Progress(topic);
const rows = [...document.querySelectorAll(".row")];

function showIn(row, standing) {
  row.dataset.standing = JSON.stringify(standing);
  standings.show(standing, row.querySelector(".standing"), row.querySelectorAll("button.grade"));
}

addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.say !== "grade") return;
  event.preventDefault();
  const row = form.closest(".row");
  const values = { kind: "grade", grade: Number(event.submitter.value) };
  const before = JSON.parse(row.dataset.standing);
  const standing = standings.after(before, values);
  say({
    ...values,
    item: Number(new FormData(form).get("item")),
    topic,
    label: row.querySelector("h2").textContent,
    words: standings.words(values),
    change: standings.isDone(standing) - standings.isDone(before),
  });
  showIn(row, standing);
});

changes.addEventListener("told", ({ detail: { saying, answer } }) => {
  progress.told(saying, answer);
  const row = document.getElementById(`item-${saying.item}`);
  const more = state().waiting.some(({ item }) => item === saying.item);
  if (row && !more) showIn(row, answer.standing);
});
changes.addEventListener("refused", async ({ detail: { saying } }) => {
  const row = document.getElementById(`item-${saying.item}`);
  const { answer } = await call(`/api/items/${saying.item}`);
  if (row && answer) showIn(row, answer.standing);
});
changes.addEventListener("changed", () => progress.show());

function move(by) {
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  rows[Math.max(at + by, 0)]?.querySelector("h2 a").focus();
}

listen({
  ArrowRight: () => move(1),
  ArrowLeft: () => move(-1),
  grade: (grade) => {
    const row = document.activeElement.closest(".row");
    const button = row?.querySelector(`button[name=grade][value="${grade}"]`);
    if (!row) tell("Press → to go to a document, then its grade.");
    else if (!button) tell(`There is no grade ${grade} on this scale.`);
    else {
      button.click();
      move(1);
    }
  },
});

for (const { item, ...saying } of state().waiting) {
  const row = document.getElementById(`item-${item}`);
  if (row) showIn(row, standings.after(JSON.parse(row.dataset.standing), saying));
}
