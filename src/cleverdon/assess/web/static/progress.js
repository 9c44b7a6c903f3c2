// How far one has come: what the server counted last, and what waits to be sent.

import { state } from "./sending.js";

const number = (text) => Number(text.replaceAll(",", ""));

class Meter {
  constructor(place) {
    this.bar = place.querySelector("progress");
    this.done = place.querySelector(".done");
    this.total = place.querySelector(".total");
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
  constructor(topic) {
    this.topic = topic;
    this.ofTopic = new Meter(document.getElementById("far-topic"));
    this.overall = new Meter(document.getElementById("far-overall"));
  }

  told(saying, { progress }) {
    if (saying.topic !== this.topic) {
      this.overall.known.done += saying.change ?? 0;
      return;
    }
    const before = this.ofTopic.known;
    this.ofTopic.known = progress;
    this.overall.known.done += progress.done - before.done;
    this.overall.known.total += progress.total - before.total;
  }

  show() {
    const { waiting } = state();
    this.ofTopic.show(changeOf(waiting.filter((saying) => saying.topic === this.topic)));
    this.overall.show(changeOf(waiting));
  }
}

function changeOf(sayings) {
  return sayings.reduce((sum, saying) => sum + (saying.change ?? 0), 0);
}
