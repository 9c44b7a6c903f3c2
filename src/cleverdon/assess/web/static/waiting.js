// Judgments that the server has not acknowledged, kept in the browser's storage.
//
// Each has a key of its own, so that two tabs never overwrite each other's. Keys name the project
// and the person: another project at the same address, or the next person at this computer, has
// nothing to do with them.

const { project, person } = document.body.dataset;
export const PREFIX = `cleverdon-judge/${project}/${person}/`;

const memory = new Map(); // where the browser keeps nothing for us: it is full, or forbids it
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
    // Forbidden: all there is stands in `memory`.
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

function write(key, saying) {
  try {
    localStorage.setItem(key, JSON.stringify(saying));
    memory.delete(key);
  } catch {
    memory.set(key, saying);
  }
}

// Keys sort by when it was said, also where the clock was set back in between.
export function add(saying) {
  const latest = Number.parseInt(keys().at(-1)?.slice(PREFIX.length), 10) || 0;
  last = Math.max(Date.now(), last + 1, latest + 1);
  write(`${PREFIX}${String(last).padStart(15, "0")}-${saying.request}`, saying);
}

export function drop(key) {
  memory.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    // Forbidden: it was in `memory` alone.
  }
}

export function refuse(key, saying, reason) {
  write(key, { ...saying, refused: reason });
}

// Queued anew, behind everything that waits: under its old key it would overtake an undo step that
// was said after it was refused, but only if that step had not been sent yet.
export function allow(key, saying) {
  const { refused, ...rest } = saying;
  add(rest);
  drop(key);
}

function all() {
  return keys()
    .map((key) => ({ key, saying: read(key) }))
    .filter(({ saying }) => saying !== null);
}

export const waiting = () => all().filter(({ saying }) => saying.refused === undefined);
export const refused = () => all().filter(({ saying }) => saying.refused !== undefined);
