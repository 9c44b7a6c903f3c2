// Sends judgments in the order in which they were said, each until the server answered it.

import * as store from "./waiting.js";

const FIELDS = "request item kind grade text flagged seconds said_at undoes".split(" ");
const PATIENCE = 20000; // milliseconds until a request counts as lost
const LONGEST_WAIT = 30000;
const OTHERS_TURN = 2000; // for which another tab is left to send what was said there
const REFUSALS = new Set([400, 404, 409, 413, 422]); // to send it again would not help

let sending = false;
let wait = 0;
let timer;
let problem = null; // { said, blocked }

// "said" at once, later "told" with the answer or "refused", "again" where a refused one is sent
// again, and "changed" whenever the state did.
export const changes = new EventTarget();
const tabs = new BroadcastChannel(store.PREFIX); // one tab may send what was said in another

export const state = () => ({
  waiting: store.waiting().map(({ saying }) => saying),
  problem,
  isKept: store.isKept(),
});

function newRequest() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Returns the request's id.
export function say(saying) {
  const request = newRequest();
  store.add({ ...saying, request, said_at: Date.now() / 1000 });
  changes.dispatchEvent(new Event("said"));
  changed();
  wait = 0; // who goes on judging does not wait the longer for it
  send();
  return request;
}

// Send refused judgments again, after everything that waits already.
export function sayAgain(refused) {
  for (const { key, saying } of refused) {
    store.allow(key, saying);
    changes.dispatchEvent(new CustomEvent("again", { detail: { saying } }));
  }
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
// So a tab that sleeps while it sends is not waited for, nor is a browser that knows no locks.
async function alone(work) {
  let begun = false;
  const once = () => {
    begun = true;
    return work();
  };
  const signal = AbortSignal.timeout(PATIENCE);
  try {
    await navigator.locks.request(store.PREFIX, { signal }, once);
  } catch (error) {
    if (begun) throw error;
    await work();
  }
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
      dropUndoing(first.saying.request);
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

// What was not taken need not be taken back, which is said already where it waits behind it.
function dropUndoing(request) {
  for (const { key, saying } of store.waiting()) {
    if (saying.undoes === request) store.drop(key);
  }
}

function report(name, detail) {
  tabs.postMessage({ name, detail });
  changes.dispatchEvent(new CustomEvent(name, { detail }));
}

async function post(saying) {
  const body = Object.fromEntries(
    FIELDS.filter((field) => saying[field] !== undefined).map((field) => [field, saying[field]]),
  );
  const outcome = await call("/api/judgments", body);
  const isOther = outcome.answer && outcome.answer.item !== saying.item;
  return isOther ? notOurs(200) : outcome;
}

// Who is not signed in, or signed in anew, has to do something; anything else may pass by itself.
function stop({ status, said }) {
  const blocked = status === 401 || status === 403;
  problem = { said, blocked, status };
  wait = Math.min(wait === 0 ? 1000 : wait * 2, LONGEST_WAIT);
  if (!blocked) later(wait * (0.75 + Math.random() / 2));
}

function later(milliseconds) {
  clearTimeout(timer);
  timer = setTimeout(send, milliseconds);
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
    const told = await response.json().catch(() => null);
    if (response.ok && told) return { answer: told };
    if (told?.error) return { status: response.status, said: told.error };
    return notOurs(response.status);
  } catch {
    const said = navigator.onLine ? "the server cannot be reached" : "you are offline";
    return { status: 0, said };
  }
}

// A proxy, or a network that wants one to sign in: what it says settles nothing.
function notOurs(status) {
  return { status: 0, said: `something else than this app answered (status ${status})` };
}

function changed() {
  changes.dispatchEvent(new Event("changed"));
}

export function start() {
  addEventListener("online", () => {
    wait = 0;
    send();
  });
  addEventListener("offline", changed);
  addEventListener("storage", ({ key }) => {
    if (key !== null && !key.startsWith(store.PREFIX)) return;
    changed();
    // The tab in which it was said may not be able to: one signed in anew meanwhile, in this tab.
    if (problem === null && store.waiting().length > 0) later(OTHERS_TURN);
  });
  tabs.addEventListener("message", ({ data: { name, detail } }) => {
    changes.dispatchEvent(new CustomEvent(name, { detail }));
    changed();
  });
  addEventListener("beforeunload", (event) => {
    if (!store.isKept()) event.preventDefault();
  });
  send();
}
