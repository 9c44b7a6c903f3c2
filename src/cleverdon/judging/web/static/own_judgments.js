// One's own judgments of a query from before this page was loaded.

import { call, state } from "./sending.js";
import { canUndo } from "./judgment.js";

const PAGE = 20;
let searching = false;

// One's judgments, the newest first; `before` is where the previous answer stopped.
export function judgmentsBefore(query, before) {
  const parameters = new URLSearchParams({ query, n: PAGE });
  if (before !== undefined) parameters.set("before", before);
  return call(`/api/judgments?${parameters}`);
}

// The last judgment, or the reason why there is none. Only one search runs at a time: until its
// result is undone, a second search would find the same.
export async function lastJudgment(query) {
  if (searching || state().waiting.some((judgmentEvent) => judgmentEvent.query === query)) {
    return { why: "Wait until all is sent, and undo it then.", untilSent: true };
  }
  searching = true;
  try {
    return await search(query);
  } finally {
    searching = false;
  }
}

async function search(query) {
  let before;
  do {
    const { answer, message } = await judgmentsBefore(query, before);
    if (!answer) return { why: `Your last judgment cannot be fetched: ${message}.` };
    const found = answer.judgments.find(({ standing }) => canUndo(standing));
    if (found) return { found };
    before = answer.before;
  } while (before !== null);
  return { why: "There is nothing to undo." };
}
