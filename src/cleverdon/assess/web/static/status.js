// The line that says whether all is saved, and what is wrong where it is not.

import { changes, send, state } from "./sending.js";
import { apart } from "./standing.js";
import * as store from "./waiting.js";

const line = document.getElementById("status");
const box = document.getElementById("refused");
const SOON = 700; // milliseconds for which an ordinary request is nothing to speak of
const FEW = 3; // refused judgments that are listed without being asked for

let said = ""; // what a page had to say for itself, until one says something
let timer;
let anythingSent = false;
let unfolded = null; // whether the list of refused judgments is, once somebody decided it

export function tell(text) {
  said = text;
  show();
}

function judgments(count) {
  return count === 1 ? "1 judgment waits" : `${count} judgments wait`;
}

function show() {
  const { waiting, problem, isKept } = state();
  const refused = store.refused();
  clearTimeout(timer);
  const troubled = waiting.length > 0 && (problem !== null || !navigator.onLine);
  if (waiting.length > 0 && !troubled) {
    if (said || line.dataset.kind === "says") write(said, "says");
    timer = setTimeout(() => write(`${judgments(waiting.length)} to be sent.`, "waits"), SOON);
  } else if (troubled) {
    const why = problem?.said ?? "you are offline";
    const kept = isKept
      ? "All is kept in this browser, and sent as soon as it works."
      : "This browser keeps nothing: leave this page open until all is sent.";
    write(`${judgments(waiting.length)} to be sent: ${why}. ${kept}`, "wrong");
    if (problem?.blocked) addRemedy(problem.status);
  } else if (refused.length > 0) {
    const was = refused.length === 1 ? "1 judgment was" : `${refused.length} judgments were`;
    write(`${was} not taken: see why below.`, "wrong");
  } else if (said) {
    write(said, "says");
  } else {
    write(anythingSent ? "Saved" : "", "saved");
  }
  showRefused(refused);
}

function write(text, kind) {
  if (line.firstChild?.data === text && line.childNodes.length === 1) return;
  line.replaceChildren(...(text ? [document.createTextNode(text)] : []));
  line.dataset.kind = text ? kind : "";
}

function addRemedy(status) {
  const link = document.createElement("a");
  const next = new URLSearchParams({ next: location.pathname });
  link.href = status === 401 ? `/sign-in?${next}` : location.href;
  link.textContent = status === 401 ? "Sign in" : "Load this page again";
  line.append(" ", link);
}

function showRefused(refused) {
  box.hidden = refused.length === 0;
  if (box.hidden && box.childNodes.length === 0) return;
  box.replaceChildren(...(refused.length > 1 ? several(refused) : refused.map(refusal)));
}

function refusal({ key, saying }) {
  const paragraph = document.createElement("p");
  const again = button("Send it again", () => sendAgain([{ key, saying }]));
  const forget = button("Forget it", () => store.drop(key));
  const label = apart(saying.label ?? `document ${saying.item}`);
  const what = saying.words ?? saying.kind;
  paragraph.append(`Not taken: ${what} of “`, label, `”: ${saying.refused}. `, again, " ", forget);
  return paragraph;
}

function several(refused) {
  const list = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = "What was not taken, and why";
  summary.addEventListener("click", () => {
    unfolded = !list.open;
  });
  list.open = unfolded ?? refused.length <= FEW;
  list.append(summary, ...refused.map(refusal));
  return [button("Send all again", () => sendAgain(refused)), list];
}

function sendAgain(refused) {
  for (const { key, saying } of refused) store.allow(key, saying);
  send();
}

function button(text, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", () => {
    act();
    show();
  });
  return made;
}

changes.addEventListener("said", () => {
  said = "";
});
changes.addEventListener("told", () => {
  anythingSent = true;
});
changes.addEventListener("changed", show);
