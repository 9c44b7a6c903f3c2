// The line that says whether all is saved, and what is wrong where it is not.

import { changes, sayAgain, state } from "./sending.js";
import { apart } from "./standing.js";
import * as store from "./waiting.js";

const line = document.getElementById("status");
const box = document.getElementById("refused");
const SOON = 700; // milliseconds for which an ordinary request is nothing to speak of
const FEW = 3; // refused judgments that are listed without being asked for

let said = ""; // what a page had to say for itself, until one says something
let endsOnceSent = false; // whether that is of no use once all is sent
let timer;
let anythingSent = false;
let listed = "[]"; // what the box has
let unfolded = null; // whether the list of refused judgments is, once somebody decided it

export function tell(text, { untilSent = false } = {}) {
  said = text;
  endsOnceSent = untilSent;
  show();
}

// How far down the line covers the page: it stays in view while it says something.
export function coveredUntil() {
  const stays = line.dataset.kind === "wrong" || line.dataset.kind === "says";
  return stays ? line.offsetHeight : 0;
}

function judgments(count) {
  return count === 1 ? "1 judgment waits" : `${count} judgments wait`;
}

function show() {
  const { waiting, problem, isKept } = state();
  const refused = store.refused();
  const first = said ? `${said} ` : ""; // the answer to a key, beside what is wrong
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
    write(`${first}${judgments(waiting.length)} to be sent: ${why}. ${kept}`, "wrong");
    if (problem?.blocked) addRemedy(problem.status);
  } else if (refused.length > 0) {
    const was = refused.length === 1 ? "1 judgment was" : `${refused.length} judgments were`;
    write(`${first}${was} not taken: see why below.`, "wrong");
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
  document.documentElement.style.setProperty("--covered", `${coveredUntil()}px`);
}

function addRemedy(status) {
  const link = document.createElement("a");
  const next = new URLSearchParams({ next: location.pathname });
  link.href = status === 401 ? `/sign-in?${next}` : location.href;
  link.textContent = status === 401 ? "Sign in" : "Load this page again";
  line.append(" ", link);
}

// Made anew only where it differs: somebody may have the focus in it.
function showRefused(refused) {
  const now = JSON.stringify(refused);
  if (now === listed) return;
  listed = now;
  box.hidden = refused.length === 0;
  box.replaceChildren(...(refused.length > 1 ? several(refused) : refused.map(refusal)));
}

function refusal({ key, saying }) {
  const paragraph = document.createElement("p");
  const again = button("Send it again", () => sayAgain([{ key, saying }]));
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
  return [button("Send all again", () => sayAgain(refused)), list];
}

function button(text, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", () => {
    act();
    show();
    (box.querySelector("button") ?? document.getElementById("main")).focus();
  });
  return made;
}

changes.addEventListener("said", () => {
  said = "";
});
changes.addEventListener("told", () => {
  anythingSent = true;
  if (endsOnceSent && state().waiting.length === 0) said = "";
});
changes.addEventListener("changed", show);
