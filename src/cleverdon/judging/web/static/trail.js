// The documents of a query: those that were shown, and those that are prefetched.

import { judgmentsBefore } from "./own_judgments.js";
import { call, state } from "./sending.js";
import { isDone } from "./judgment.js";

const AHEAD = 5; // documents fetched at once
const LOW = 2; // documents left when more are fetched
const MOST_IDS = 100; // sent to the server

export class Trail {
  constructor(query, first, event) {
    this.query = query;
    this.entries = first ? [first] : [];
    this.at = first ? 0 : -1;
    this.round = 0; // start of the current round: documents passed over before may come again
    this.ended = false; // the server had no more
    this.problem = ""; // why the last fetch failed
    this.before = event; // where the list of earlier judgments continues; null at its end
    this.earlier = []; // items of earlier judgments
    this.fetching = null;
    this.turn = 0; // number of the last move: a waiting move gives way to the next
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
  prefetch() {
    if (this.left > LOW || this.ended) return Promise.resolve();
    this.fetching ??= this.#fetchMore().finally(() => {
      this.fetching = null;
    });
    return this.fetching;
  }

  async #fetchMore() {
    const past = this.entries.at(-1)?.item; // documents passed over before come last
    const body = { query: this.query, n: AHEAD, without: this.#without(), past, parts: false };
    this.problem = "";
    const { answer, message } = await call("/api/next", body);
    this.problem = message ?? "";
    if (answer) this.#add(answer.items);
  }

  // Items that the server need not send: known ones, and those with events that are not sent yet.
  #without() {
    const open = new Set(this.entries.filter(isOpen).map(({ item }) => item));
    const unsent = state().waiting.map(({ item }) => item);
    const reserved = this.entries.slice(this.round).filter(isOpen).map(({ item }) => item);
    const without = [...unsent.filter((item) => !open.has(item)), ...reserved];
    return [...new Set(without)].slice(-MOST_IDS);
  }

  // Documents passed over in an earlier round move to the end.
  #add(items) {
    const { current } = this;
    const round = [current, ...this.entries.slice(this.round)];
    const inRound = new Set(round.map((entry) => entry?.item));
    const fresh = items.filter(({ item }) => !inRound.has(item));
    const unsent = new Set(state().waiting.map(({ item }) => item));
    const added = fresh.map((sent) => {
      const known = unsent.has(sent.item) && this.entries[this.find(sent.item)];
      return known || entryOf(sent); // the server does not know events that are not sent
    });
    const moved = new Set(fresh.map(({ item }) => item));
    const stay = this.entries.filter(({ item }) => !moved.has(item));
    this.round -= this.entries.length - stay.length;
    this.entries = [...stay, ...added];
    this.at = this.entries.indexOf(current);
    this.ended = added.length === 0;
  }

  // The next document; null if there is none, undefined if another move came first.
  async forward() {
    const turn = ++this.turn;
    if (this.left === 0) await this.#more(turn);
    if (turn !== this.turn) return undefined;
    return this.left === 0 ? null : this.advance();
  }

  // At the end: fetch what others left, or else start again with what was passed over.
  async #more(turn) {
    this.ended = false;
    await this.prefetch();
    if (turn !== this.turn || this.left > 0 || !this.ended) return;
    const passed = this.entries.filter(isOpen).length;
    this.round = this.at + 1;
    this.ended = false;
    await this.prefetch();
    if (turn === this.turn && this.left > 0) this.entries[this.at + 1].again = passed;
  }

  // Move to the next document, which is prefetched.
  advance() {
    this.turn += 1;
    this.at += 1;
    this.prefetch();
    return this.current;
  }

  // The document before; in the end those that were judged on earlier days.
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
      const { answer, message } = await judgmentsBefore(this.query, this.before);
      this.problem = message ?? "";
      if (!answer) return;
      this.earlier = answer.judgments.map((judgment) => judgment.item);
      this.before = answer.before;
      item = this.#unseen();
    }
    if (item !== undefined) await this.ensure(item);
  }

  #unseen() {
    return this.earlier.find((item) => this.find(item) < 0);
  }

  // Ensure that a document is in the trail: fetched, it becomes the first one.
  async ensure(item) {
    if (this.find(item) >= 0) return true;
    const entry = await fetchEntry(item);
    this.problem = entry ? "" : "the document cannot be fetched";
    if (entry && this.find(item) < 0) {
      this.entries.unshift(entry);
      this.round += 1;
      if (this.at >= 0) this.at += 1;
    }
    return entry !== null;
  }

  // Go to a document that was shown.
  goTo(item) {
    this.turn += 1;
    this.at = this.find(item);
    return this.current;
  }
}

const isOpen = ({ judgment }) => !isDone(judgment);

export async function fetchEntry(item) {
  const { answer } = await call(`/api/items/${item}`);
  return answer ? entryOf(answer) : null;
}

function entryOf({ item, html, standing: judgment, document: shown }) {
  return { item, html, judgment, label: shown.title || shown.id, stale: false, again: 0 };
}
