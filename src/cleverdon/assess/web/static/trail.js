// The documents of a topic that one has been shown, and those that are fetched ahead.

import { judgmentsBefore } from "./earlier.js";
import { call, state } from "./sending.js";
import { isDone } from "./standing.js";

const AHEAD = 5; // fetched at once
const LOW = 2; // when so few are left, more are fetched
const MOST_KEPT = 100; // ids that the server is told of

export class Trail {
  constructor(topic, first, event) {
    this.topic = topic;
    this.entries = first ? [first] : [];
    this.at = first ? 0 : -1;
    this.round = 0; // where it began anew: what was passed over before may come again
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
    const past = this.entries.at(-1)?.item; // what was passed over before comes last
    const asked = { topic: this.topic, n: AHEAD, without: this.#without(), past, parts: false };
    this.problem = "";
    const { answer, said } = await call("/api/next", asked);
    this.problem = said ?? "";
    if (answer) this.#add(answer.items);
  }

  // What the server need not send: what one has, and what it does not know to be done.
  #without() {
    const open = new Set(this.entries.filter(isOpen).map(({ item }) => item));
    const unsent = state().waiting.map(({ item }) => item);
    const held = this.entries.slice(this.round).filter(isOpen);
    const without = [...unsent.filter((item) => !open.has(item)), ...held.map(({ item }) => item)];
    return [...new Set(without)].slice(-MOST_KEPT);
  }

  // What was passed over in an earlier round moves to the end.
  #add(items) {
    const { current } = this;
    const held = new Set([current, ...this.entries.slice(this.round)].map((entry) => entry?.item));
    const fresh = items.filter(({ item }) => !held.has(item));
    const unsent = new Set(state().waiting.map(({ item }) => item));
    const added = fresh.map((sent) => {
      const known = unsent.has(sent.item) && this.entries[this.find(sent.item)];
      return known || entryOf(sent); // what is unsent, a note for example, the server does not know
    });
    const moved = new Set(fresh.map(({ item }) => item));
    const stay = this.entries.filter(({ item }) => !moved.has(item));
    this.round -= this.entries.length - stay.length;
    this.entries = [...stay, ...added];
    this.at = this.entries.indexOf(current);
    this.ended = added.length === 0;
  }

  // The next document; null where there is none now, undefined where one went elsewhere meanwhile.
  async forward() {
    const turn = ++this.turn;
    if (this.left === 0) await this.#more(turn);
    if (turn !== this.turn) return undefined;
    return this.left === 0 ? null : this.on();
  }

  // At the end: what others left meanwhile, or else what one passed over, which comes again.
  async #more(turn) {
    this.ended = false;
    await this.ahead();
    if (turn !== this.turn || this.left > 0 || !this.ended) return;
    const passed = this.entries.filter(isOpen).length;
    this.round = this.at + 1;
    this.ended = false;
    await this.ahead();
    if (turn === this.turn && this.left > 0) this.entries[this.at + 1].again = passed;
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
    if (this.at <= 0) await this.#fetchEarlier();
    if (turn !== this.turn) return undefined;
    if (this.at === 0 || this.entries.length === 0) return null;
    this.at = Math.max(this.at - 1, 0);
    return this.current;
  }

  async #fetchEarlier() {
    let item = this.#unseen();
    while (item === undefined && this.before !== null) {
      const { answer, said } = await judgmentsBefore(this.topic, this.before);
      this.problem = said ?? "";
      if (!answer) return;
      this.earlier = answer.judgments.map((judgment) => judgment.item);
      this.before = answer.before;
      item = this.#unseen();
    }
    if (item !== undefined) await this.bring(item);
  }

  #unseen() {
    return this.earlier.find((item) => this.find(item) < 0);
  }

  // Make sure that a document is among them, before all others if it was not.
  async bring(item) {
    if (this.find(item) >= 0) return true;
    const entry = await fetched(item);
    this.problem = entry ? "" : "the document cannot be fetched";
    if (entry && this.find(item) < 0) {
      this.entries.unshift(entry);
      this.round += 1;
      if (this.at >= 0) this.at += 1;
    }
    return entry !== null;
  }

  // Go to a document that was shown.
  to(item) {
    this.turn += 1;
    this.at = this.find(item);
    return this.current;
  }
}

const isOpen = ({ standing }) => !isDone(standing);

export async function fetched(item) {
  const { answer } = await call(`/api/items/${item}`);
  return answer ? entryOf(answer) : null;
}

function entryOf({ item, html, standing, document: shown }) {
  return { item, html, standing, label: shown.title || shown.id, stale: false, again: 0 };
}
