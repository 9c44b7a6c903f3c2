// Plots whose rows are too many to be written for every measure and baseline. The columns are
// those of by_query.py and curves.py, and tests hold both to the same numbers.

const SHOWN = 300; // bars or columns that can be told apart; more queries than that share them

// An undefined value counts as the worst, as it does in means.
const settled = (s, t) => values[state.measure][s][t] ?? measure().worst;

function reference(t) {
  if (baseline() >= 0) return settled(baseline(), t);
  const sorted = systems.map((_, s) => settled(s, t)).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// Differences that only the rounding of sums made are none.
const difference = (s, t) => +(settled(s, t) - reference(t)).toFixed(12);

const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;

// Neighbours in groups of like size, the larger ones first.
function groups(order, most) {
  const count = Math.min(most, order.length);
  const [size, larger] = [Math.floor(order.length / count), order.length % count];
  let start = 0;
  return Array.from({ length: count }, (_, at) => {
    const group = order.slice(start, start + size + (at < larger ? 1 : 0));
    start += group.length;
    return group;
  });
}

function about(group) {
  const { id, text } = queries[group[0]];
  const others = group.length - 1;
  if (others) return { query: `${id} +${others}`, about: `${id} and ${others} more, their mean` };
  return { query: id, about: text ? `${id}: ${text}` : id };
}

const comparedPicks = () => picked().filter((t) => compared.has(t));

const DERIVED = {
  queries() {
    const s = state.system;
    if (s === baseline()) return "Pick a system other than the baseline to see this.";
    const of = new Map(comparedPicks().map((t) => [t, difference(s, t)]));
    const order = [...of.keys()].sort((a, b) => sign() * (of.get(b) - of.get(a)));
    return {
      queries: groups(order, SHOWN).map((group) => {
        const value = mean(group.map((t) => of.get(t)));
        const gained = sign() * value;
        const outcome = gained === 0 ? "even" : gained > 0 ? "win" : "loss";
        return { system: systems[s], ...about(group), value, outcome };
      }),
    };
  },

  heat_map() {
    const chosen = comparedPicks();
    const of = new Map(chosen.map((t) => [t, mean(systems.map((_, s) => settled(s, t)))]));
    const order = chosen.sort((a, b) => sign() * (of.get(a) - of.get(b)));
    const most = Math.max(1, Math.min(SHOWN, Math.floor(5000 / systems.length)));
    const all = content.compared.flatMap((t) => systems.map((_, s) => settled(s, t)));
    const found = [Math.min(...all), Math.max(...all)];
    return {
      ends: measure().range.map((end, at) => ({ value: end ?? found[at] })),
      cells: groups(order, most).flatMap((group) => systems.map((system, s) => (
        { system, ...about(group), value: mean(group.map((t) => settled(s, t))) }))),
    };
  },

  precision_recall() {
    const of = state.query === null ? null : rankings?.queries[state.query];
    if (!of) return "Click a query to see this.";
    if (!of.of) return "The query has no relevant document, and so no recall.";
    const { found: ranks, returned, rows } = of.systems[state.system];
    const names = new Map(rows.map(([rank, doc]) => [rank, rankings.documents[doc]]));
    const found = ranks.map((rank, at) => ({ rank, recall: (at + 1) / of.of,
      precision: (at + 1) / rank, document: names.get(rank) ?? null }));
    const kinds = { "as ranked": saw(found, returned), interpolated: steps(found),
      "at 11 points": levels(found, of.of) };
    const system = systems[state.system];
    return {
      lines: Object.entries(kinds).flatMap(([kind, corners]) =>
        corners.map((corner, at) => ({ system, kind, at, ...corner }))),
      points: ["as ranked", "at 11 points"].flatMap((kind) =>
        (kind === "as ranked" ? found : kinds[kind]).map((row) => ({ system, kind, ...row }))),
    };
  },
};

// The curve as it is: each relevant result, and the last one before the next.
function saw(found, returned) {
  const corners = !found.length || found[0].rank > 1 ? [{ rank: 1, recall: 0, precision: 0 }] : [];
  found.forEach(({ rank, recall, precision }, at) => {
    corners.push({ rank, recall, precision });
    const last = at + 1 < found.length ? found[at + 1].rank - 1 : returned;
    if (last > rank) corners.push({ rank: last, recall, precision: (at + 1) / last });
  });
  return corners;
}

// The largest precision from each recall on; 0 where that is never reached.
function steps(found) {
  const starts = [0, ...found.map((row) => row.recall)];
  const reached = starts.at(-1);
  const corners = reached < 1 ? [{ recall: 1, precision: 0 }, { recall: reached, precision: 0 }] : [];
  let largest = 0;
  for (let at = found.length - 1; at >= 0; at -= 1) {
    largest = Math.max(largest, found[at].precision);
    corners.push({ recall: found[at].recall, precision: largest },
      { recall: starts[at], precision: largest });
  }
  return corners.reverse();
}

function levels(found, wanted) {
  return Array.from({ length: 11 }, (_, tenth) => {
    const needed = Math.max(1, Math.ceil((tenth / 10) * wanted - 1e-9));
    const below = found.slice(needed - 1).map((row) => row.precision);
    return { recall: tenth / 10, precision: Math.max(0, ...below) };
  });
}
