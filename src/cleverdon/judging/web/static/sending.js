// Sends judgment events in order, each until the server has answered it.

import * as store from "./outbox.js";

const FIELDS = "request item kind grade text flagged seconds said_at undoes".split(" ");
const PATIENCE = 20000; // milliseconds until a request counts as lost
const LONGEST_WAIT = 30000;
const OTHERS_TURN = 2000; // milliseconds in which another tab can send its own events
const REFUSALS = new Set([400, 404, 409, 413, 422]); // sending again would not help

let sending = false;
let wait = 0;
let timer;
let problem = null; // { message, blocked, status }

// Events: "queued", then "answered" (with the answer) or "refused"; "requeued" when a refused one
// is sent again; "changed" whenever the state changed.
export const changes = new EventTarget();
const tabs = new BroadcastChannel(store.PREFIX); // one tab may send the events of another

export const state = () => ({
  waiting: store.waiting().map(({ judgmentEvent }) => judgmentEvent),
  problem,
  isKept: store.isKept(),
});

function newRequest() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Queue an event, and return the id of its request.
export function queue(judgmentEvent) {
  const request = newRequest();
  store.add({ ...judgmentEvent, request, said_at: Date.now() / 1000 });
  changes.dispatchEvent(new Event("queued"));
  changed();
  wait = 0; // a new event is sent without delay
  send();
  return request;
}

// Send refused events again, after all that wait.
export function resend(refused) {
  for (const { key, judgmentEvent } of refused) {
    store.allow(key, judgmentEvent);
    changes.dispatchEvent(new CustomEvent("requeued", { detail: { judgmentEvent } }));
  }
  send();
}

export async function send() {
  if (sending) return; // the running loop sees what was added
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

// One of several tabs sends. This only saves requests, since the server does nothing twice: so a
// tab that sleeps while it sends is not waited for, and a browser without locks works too.
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
    const outcome = await post(first.judgmentEvent);
    if (outcome.answer) {
      store.drop(first.key);
      report("answered", { judgmentEvent: first.judgmentEvent, answer: outcome.answer });
    } else if (REFUSALS.has(outcome.status)) {
      store.refuse(first.key, first.judgmentEvent, outcome.message);
      dropUndoing(first.judgmentEvent.request);
      report("refused", { judgmentEvent: first.judgmentEvent });
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

// A refused event need not be undone: drop the undo that waits behind it.
function dropUndoing(request) {
  for (const { key, judgmentEvent } of store.waiting()) {
    if (judgmentEvent.undoes === request) store.drop(key);
  }
}

function report(name, detail) {
  tabs.postMessage({ name, detail });
  changes.dispatchEvent(new CustomEvent(name, { detail }));
}

async function post(judgmentEvent) {
  const body = Object.fromEntries(
    Object.entries(judgmentEvent).filter(
      ([field, value]) => FIELDS.includes(field) && value !== undefined,
    ),
  );
  const outcome = await call("/api/judgments", body);
  const isOther = outcome.answer && outcome.answer.item !== judgmentEvent.item;
  return isOther ? notOurs(200) : outcome;
}

// A person who is signed out must act; any other problem may pass by itself.
function stop({ status, message }) {
  const blocked = status === 401 || status === 403;
  problem = { message, blocked, status };
  wait = Math.min(wait === 0 ? 1000 : wait * 2, LONGEST_WAIT);
  if (!blocked) later(wait * (0.75 + Math.random() / 2));
}

function later(milliseconds) {
  clearTimeout(timer);
  timer = setTimeout(send, milliseconds);
}

// Call the API: returns the answer, or the status (0 if none came) and an error message.
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
    const content = await response.json().catch(() => null);
    if (response.ok && content) return { answer: content };
    if (content?.error) return { status: response.status, message: content.error };
    return notOurs(response.status);
  } catch {
    const message = navigator.onLine ? "the server cannot be reached" : "you are offline";
    return { status: 0, message };
  }
}

// A proxy or a captive portal answered: nothing is settled.
function notOurs(status) {
  return { status: 0, message: `something else than this app answered (status ${status})` };
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
    // The tab that queued it may be unable to send: the person signed in again in this tab.
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
