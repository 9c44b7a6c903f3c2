// For how many seconds a document was looked at: while the page could be seen.

const LONGEST = 86400;

export class Watch {
  constructor() {
    this.restart();
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.#stop();
      else this.since = performance.now();
    });
  }

  restart() {
    this.looked = 0;
    this.since = document.hidden ? null : performance.now();
  }

  #stop() {
    if (this.since !== null) this.looked += performance.now() - this.since;
    this.since = null;
  }

  get seconds() {
    const now = this.since === null ? 0 : performance.now() - this.since;
    return Math.min(Math.round((this.looked + now) / 100) / 10, LONGEST);
  }
}
