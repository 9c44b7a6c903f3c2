// Progress bars: what the server counted last, plus what waits to be sent.

import { state } from "./sending.js";

const number = (text) => Number(text.replaceAll(",", ""));

class Meter {
  constructor(element) {
    this.bar = element.querySelector("progress");
    this.done = element.querySelector(".done");
    this.total = element.querySelector(".total");
    this.known = { done: number(this.done.textContent), total: number(this.total.textContent) };
  }

  show(waiting) {
    const done = this.known.done + waiting;
    this.bar.max = Math.max(this.known.total, 1);
    this.bar.value = done;
    this.done.textContent = done.toLocaleString("en");
    this.total.textContent = this.known.total.toLocaleString("en");
  }
}

export class Progress {
  constructor(query) {
    this.query = query;
    this.ofQuery = new Meter(document.getElementById("progress-query"));
    this.overall = new Meter(document.getElementById("progress-overall"));
  }

  update(judgmentEvent, { progress }) {
    if (judgmentEvent.query !== this.query) {
      this.overall.known.done += judgmentEvent.change ?? 0;
      return;
    }
    const before = this.ofQuery.known;
    this.ofQuery.known = progress;
    this.overall.known.done += progress.done - before.done;
    this.overall.known.total += progress.total - before.total;
  }

  show() {
    const { waiting } = state();
    this.ofQuery.show(changeOf(waiting.filter(({ query }) => query === this.query)));
    this.overall.show(changeOf(waiting));
  }
}

function changeOf(judgmentEvents) {
  return judgmentEvents.reduce((sum, judgmentEvent) => sum + (judgmentEvent.change ?? 0), 0);
}
