// Sends judgments in the order in which they were said, each until the server answered it.

import * as store from "./waiting.js";

const FIELDS = ["request", "item", "kind", "grade", "text", "flagged", "seconds", "said_at"];
const PATIENCE = 20000; // milliseconds until a request counts as lost
const LONGEST_WAIT = 30000;
const REFUSALS = new Set([400, 404, 409, 413, 422]); // to send it again would not help

let sending = false;
let wait = 0;
let timer;
let problem = null; // { said, blocked }

// "told" with the answer, "refused" without one, and "changed" whenever the state did.
export const changes = new EventTarget();

export const state = () => ({
  waiting: store.waiting().map(({ saying }) => saying),
  problem,
  isKept: store.isKept,
});

export function newRequest() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function say(saying) {
  store.add({ ...saying, request: newRequest(), said_at: Date.now() / 1000 });
  changed();
  send();
}

export async function send() {
  if (sending) return; // whatever was added is seen by the loop that runs
  sending = true;
  clearTimeout(timer);
  try {
    await alone(sendAll);
  } finally {
    sending = false;
    changed();
  }
  if (problem === null && store.waiting().length > 0) send();
}

// Of several tabs one sends; the server would not do anything twice, but need not be asked twice.
function alone(work) {
  if (!navigator.locks) return work();
  return navigator.locks.request(`${store.PREFIX}sending`, work);
}

async function sendAll() {
  for (;;) {
    const [first] = store.waiting();
    if (first === undefined) break;
    const outcome = await post(first.saying);
    if (outcome.answer) {
      store.drop(first.key);
      report("told", { saying: first.saying, answer: outcome.answer });
    } else if (REFUSALS.has(outcome.status)) {
      store.refuse(first.key, first.saying, outcome.said);
      report("refused", { saying: first.saying });
    } else {
      stop(outcome);
      return;
    }
    problem = null;
    wait = 0;
    changed();
  }
  problem = null;
}

function report(name, detail) {
  changes.dispatchEvent(new CustomEvent(name, { detail }));
}

async function post(saying) {
  const body = Object.fromEntries(
    FIELDS.filter((field) => saying[field] !== undefined).map((field) => [field, saying[field]]),
  );
  return call("/api/judgments", body);
}

// Who is not signed in, or signed in anew, has to do something; anything else may pass by itself.
function stop({ status, said }) {
  const blocked = status === 401 || status === 403;
  problem = { said, blocked, status };
  wait = Math.min(wait === 0 ? 1000 : wait * 2, LONGEST_WAIT);
  if (!blocked) timer = setTimeout(send, wait * (0.75 + Math.random() / 2));
}

// The answer, or the status (0: none came) and what is wrong in words.
export async function call(path, body) {
  try {
    const response = await fetch(path, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        accept: "application/json",
        "content-type": "application/json",
        "x-csrf-token": document.body.dataset.csrf,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE),
      redirect: "error",
    });
    const told = await response.json().catch(() => ({}));
    if (response.ok) return { answer: told };
    return { status: response.status, said: told.error ?? `the server says ${response.status}` };
  } catch {
    const said = navigator.onLine ? "the server cannot be reached" : "you are offline";
    return { status: 0, said };
  }
}

export function changed() {
  changes.dispatchEvent(new Event("changed"));
}

export function start() {
  addEventListener("online", () => {
    wait = 0;
    send();
  });
  addEventListener("offline", changed);
  addEventListener("storage", ({ key }) => {
    if (key === null || key.startsWith(store.PREFIX)) changed();
  });
  addEventListener("beforeunload", (event) => {
    if (!store.isKept && store.waiting().length > 0) event.preventDefault();
  });
  send();
}
