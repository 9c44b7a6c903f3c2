// The documents of a topic that one has been shown, and those that are fetched ahead.

import { call, state } from "./sending.js";
import { isDone } from "./standing.js";

const AHEAD = 5; // fetched at once
const LOW = 2; // when so few are left, more are fetched
const MOST_KEPT = 100; // ids that the server is told of
const EARLIER = 20;

export class Trail {
  constructor(topic, first, event) {
    this.topic = topic;
    this.entries = first ? [first] : [];
    this.at = 0;
    this.ended = false; // the server had no more
    this.problem = ""; // why the last fetch gave nothing
    this.before = event; // where the list of one's earlier judgments goes on; null: at its end
    this.earlier = [];
    this.fetching = null;
    this.turn = 0; // the number of the last move: one that waits gives way to the next
  }

  get current() {
    return this.entries[this.at];
  }

  find(item) {
    return this.entries.findIndex((entry) => entry.item === item);
  }

  get left() {
    return this.entries.length - 1 - this.at;
  }

  // Fetch more, unless there is enough; several callers wait for the same answer.
  ahead() {
    if (this.left > LOW || this.ended) return Promise.resolve();
    this.fetching ??= this.#fetchAhead().finally(() => {
      this.fetching = null;
    });
    return this.fetching;
  }

  async #fetchAhead() {
    const unsent = new Set(state().waiting.map((saying) => saying.item));
    const known = this.entries
      .filter((entry) => !isDone(entry.standing) || unsent.has(entry.item))
      .map((entry) => entry.item);
    const without = [...new Set([...unsent, ...known])].slice(-MOST_KEPT);
    const asked = { topic: this.topic, n: AHEAD, without, parts: false };
    this.problem = "";
    const { answer, said } = await call("/api/next", asked);
    this.problem = said ?? "";
    if (!answer) return;
    const fresh = answer.items.filter(({ item }) => this.find(item) < 0);
    this.entries.push(...fresh.map(entryOf));
    this.ended = fresh.length === 0;
  }

  // The next document; null where there is none now, undefined where one went elsewhere meanwhile.
  async forward() {
    const turn = ++this.turn;
    if (this.left === 0) {
      this.ended = false; // others may have left some meanwhile
      await this.ahead();
    }
    if (turn !== this.turn) return undefined;
    return this.left === 0 ? null : this.on();
  }

  // To the next one, which is fetched already.
  on() {
    this.turn += 1;
    this.at += 1;
    this.ahead();
    return this.current;
  }

  // The document before, at last those that were judged on earlier days.
  async back() {
    const turn = ++this.turn;
    if (this.at === 0) await this.#fetchEarlier();
    if (turn !== this.turn) return undefined;
    if (this.at === 0) return null;
    this.at -= 1;
    return this.current;
  }

  async #fetchEarlier() {
    let item = this.#unseen();
    while (item === undefined && this.before !== null) {
      const asked = new URLSearchParams({ topic: this.topic, n: EARLIER });
      if (this.before !== undefined) asked.set("before", this.before);
      const { answer, said } = await call(`/api/judgments?${asked}`);
      this.problem = said ?? "";
      if (!answer) return;
      this.earlier = answer.judgments.map((judgment) => judgment.item);
      this.before = answer.before;
      item = this.#unseen();
    }
    if (item === undefined) return;
    const entry = await fetched(item);
    this.problem = entry ? "" : "the document cannot be fetched";
    if (!entry || this.find(item) >= 0) return;
    this.entries.unshift(entry);
    this.at += 1;
  }

  #unseen() {
    return this.earlier.find((item) => this.find(item) < 0);
  }

  // Go to a document that was shown.
  to(item) {
    this.turn += 1;
    this.at = this.find(item);
    return this.current;
  }
}

export async function fetched(item) {
  const { answer } = await call(`/api/items/${item}`);
  return answer ? entryOf(answer) : null;
}

function entryOf({ item, html, standing, document: shown }) {
  return { item, html, standing, label: shown.title || shown.id, stale: false };
}
