// How long a judgment takes: the median of the last ones, which a long lunch does not move.

const MOST = 99;

export class Pace {
  constructor(place, seconds) {
    this.place = place;
    this.seconds = seconds; // the newest first
  }

  add(seconds) {
    this.seconds = [seconds, ...this.seconds].slice(0, MOST);
    this.place.textContent = `${words(median(this.seconds))} a judgment`;
  }
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

function words(seconds) {
  const each = Math.round(seconds);
  if (each === 0) return "under 1 second";
  return each === 1 ? "1 second" : `${each} seconds`;
}
