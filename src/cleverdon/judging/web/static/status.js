// The status line: whether everything is saved, and what is wrong if not.

import { changes, resend, state } from "./sending.js";
import { isolated } from "./judgment.js";
import * as store from "./outbox.js";

const line = document.getElementById("status");
const box = document.getElementById("refused");
const SOON = 700; // milliseconds that an ordinary request may take without a message
const FEW = 3; // refused events that are listed unfolded

let message = ""; // of the page, until the next event
let endsOnceSent = false; // whether the message ends once everything is sent
let timer;
let anythingSent = false;
let listed = "[]"; // the refused events in the box
let unfolded = null; // whether the person folded or unfolded the list

export function showMessage(text, { untilSent = false } = {}) {
  message = text;
  endsOnceSent = untilSent;
  show();
}

// The height of the page that the line covers: it stays in view while it shows a message.
export function coveredHeight() {
  const stays = line.dataset.kind === "wrong" || line.dataset.kind === "message";
  return stays ? line.offsetHeight : 0;
}

function pendingCount(count) {
  return count === 1 ? "1 judgment waits" : `${count} judgments wait`;
}

function show() {
  const { waiting, problem, isKept } = state();
  const refused = store.refused();
  const first = message ? `${message} ` : ""; // the answer to a key press, before the problem
  clearTimeout(timer);
  const troubled = waiting.length > 0 && (problem !== null || !navigator.onLine);
  if (waiting.length > 0 && !troubled) {
    if (message || line.dataset.kind === "message") write(message, "message");
    timer = setTimeout(() => write(`${pendingCount(waiting.length)} to be sent.`, "pending"), SOON);
  } else if (troubled) {
    const why = problem?.message ?? "you are offline";
    const kept = isKept
      ? "All is kept in this browser, and sent as soon as it works."
      : "This browser keeps nothing: leave this page open until all is sent.";
    write(`${first}${pendingCount(waiting.length)} to be sent: ${why}. ${kept}`, "wrong");
    if (problem?.blocked) addRemedy(problem.status);
  } else if (refused.length > 0) {
    const was = refused.length === 1 ? "1 judgment was" : `${refused.length} judgments were`;
    write(`${first}${was} not taken: see why below.`, "wrong");
  } else if (message) {
    write(message, "message");
  } else {
    write(anythingSent ? "Saved" : "", "saved");
  }
  showRefused(refused);
}

function write(text, kind) {
  if (line.firstChild?.data === text && line.childNodes.length === 1) return;
  line.replaceChildren(...(text ? [document.createTextNode(text)] : []));
  line.dataset.kind = text ? kind : "";
  document.documentElement.style.setProperty("--covered", `${coveredHeight()}px`);
}

function addRemedy(status) {
  const link = document.createElement("a");
  const next = new URLSearchParams({ next: location.pathname });
  link.href = status === 401 ? `/sign-in?${next}` : location.href;
  link.textContent = status === 401 ? "Sign in" : "Load this page again";
  line.append(" ", link);
}

// Replaced only if it changed: the focus may be in it.
function showRefused(refused) {
  const now = JSON.stringify(refused);
  if (now === listed) return;
  listed = now;
  box.hidden = refused.length === 0;
  box.replaceChildren(...(refused.length > 1 ? several(refused) : refused.map(refusal)));
}

function refusal({ key, judgmentEvent }) {
  const paragraph = document.createElement("p");
  const again = button("Send it again", () => resend([{ key, judgmentEvent }]));
  const forget = button("Forget it", () => store.drop(key));
  const label = isolated(judgmentEvent.label ?? `document ${judgmentEvent.item}`);
  const what = judgmentEvent.description ?? judgmentEvent.kind;
  const reason = judgmentEvent.refused;
  paragraph.append(`Not taken: ${what} of “`, label, `”: ${reason}. `, again, " ", forget);
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
  return [button("Send all again", () => resend(refused)), list];
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

changes.addEventListener("queued", () => {
  message = "";
});
changes.addEventListener("answered", () => {
  anythingSent = true;
  if (endsOnceSent && state().waiting.length === 0) message = "";
});
changes.addEventListener("changed", show);
