// What one said of a topic's documents before this page was loaded.

import { call, state } from "./sending.js";
import { isSaid } from "./standing.js";

const EACH = 20;
let asking = false;

// One's last words, the newest first; `before` is where the answer before stopped.
export function judgmentsBefore(topic, before) {
  const asked = new URLSearchParams({ topic, n: EACH });
  if (before !== undefined) asked.set("before", before);
  return call(`/api/judgments?${asked}`);
}

// The judgment of which one said something last, or why there is none. Only one is looked for at a
// time: until that one is taken back, a second key would find it again.
export async function lastSaid(topic) {
  if (asking || state().waiting.some((saying) => saying.topic === topic)) {
    return { why: "Wait until all is sent, and undo it then.", untilSent: true };
  }
  asking = true;
  try {
    return await search(topic);
  } finally {
    asking = false;
  }
}

async function search(topic) {
  let before;
  do {
    const { answer, said } = await judgmentsBefore(topic, before);
    if (!answer) return { why: `What you said last cannot be fetched: ${said}.` };
    const found = answer.judgments.find(({ standing }) => isSaid(standing));
    if (found) return { found };
    before = answer.before;
  } while (before !== null);
  return { why: "There is nothing to undo." };
}
