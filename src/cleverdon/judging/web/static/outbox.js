// Judgment events that the server has not acknowledged, kept in the browser's storage.
//
// Each has a key of its own, so that two tabs never overwrite each other's. Keys name the project
// and the person: another project at the same address, or the next person at this computer, has
// nothing to do with them.

const { project, person } = document.body.dataset;
export const PREFIX = `cleverdon-judge/${project}/${person}/`;

const memory = new Map(); // used if the browser's storage is full or forbidden
let last = 0;

export const isKept = () => memory.size === 0;

function keys() {
  const found = new Set([...memory.keys()]);
  try {
    for (let at = 0; at < localStorage.length; at += 1) {
      const key = localStorage.key(at);
      if (key.startsWith(PREFIX)) found.add(key);
    }
  } catch {
    // Forbidden: everything is in `memory`.
  }
  return [...found].sort();
}

function read(key) {
  if (memory.has(key)) return memory.get(key);
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}

function write(key, judgmentEvent) {
  try {
    localStorage.setItem(key, JSON.stringify(judgmentEvent));
    memory.delete(key);
  } catch {
    memory.set(key, judgmentEvent);
  }
}

// Keys sort by time, even if the clock was set back in between.
export function add(judgmentEvent) {
  const latest = Number.parseInt(keys().at(-1)?.slice(PREFIX.length), 10) || 0;
  last = Math.max(Date.now(), last + 1, latest + 1);
  write(`${PREFIX}${String(last).padStart(15, "0")}-${judgmentEvent.request}`, judgmentEvent);
}

export function drop(key) {
  memory.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    // Forbidden: it was in `memory` only.
  }
}

export function refuse(key, judgmentEvent, reason) {
  write(key, { ...judgmentEvent, refused: reason });
}

// Queue a refused event again, behind all others: under its old key it would overtake an undo that
// was queued after the refusal and is not sent yet.
export function allow(key, judgmentEvent) {
  const { refused, ...rest } = judgmentEvent;
  add(rest);
  drop(key);
}

function all() {
  return keys()
    .map((key) => ({ key, judgmentEvent: read(key) }))
    .filter(({ judgmentEvent }) => judgmentEvent !== null);
}

const isRefused = ({ judgmentEvent }) => judgmentEvent.refused !== undefined;

export const waiting = () => all().filter((each) => !isRefused(each));
export const refused = () => all().filter(isRefused);
