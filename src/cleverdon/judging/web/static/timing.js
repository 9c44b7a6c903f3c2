// How long judgments take: the time on the current document, and the median of the last ones.

const LONGEST = 86400;

export class Stopwatch {
  constructor() {
    this.restart();
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.#stop();
      else this.since = performance.now();
    });
  }

  restart() {
    this.shown = 0;
    this.since = document.hidden ? null : performance.now();
  }

  #stop() {
    if (this.since !== null) this.shown += performance.now() - this.since;
    this.since = null;
  }

  get seconds() {
    const now = this.since === null ? 0 : performance.now() - this.since;
    return Math.min(Math.round((this.shown + now) / 100) / 10, LONGEST);
  }
}

const MOST = 99;

export class Pace {
  constructor(element, seconds) {
    this.element = element;
    this.seconds = seconds; // the newest first
  }

  add(seconds) {
    this.seconds = [seconds, ...this.seconds].slice(0, MOST);
    this.element.textContent = `${duration(median(this.seconds))} a judgment`;
  }
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

function duration(seconds) {
  const each = Math.round(seconds);
  if (each === 0) return "under 1 second";
  return each === 1 ? "1 second" : `${each} seconds`;
}
