// Plots: drawn when they come into view, and again when what they show has changed. A page says
// what can be picked: `keyOf` a figure, its `datasetsOf` that or a text in place of them, and
// `named`, which puts names where texts have marks for them; `clicked` is told of what was clicked.

const figures = content.figures.map((about) => ({ ...about, drawn: null, view: null }));

function listFigures() {
  for (const figure of figures) {
    figure.chart = make("div", { class: "chart" });
    figure.heading = make("h3", {});
    figure.note = make("figcaption", {});
    figure.element = make("figure", { id: `figure-${figure.id}`, class: figure.wide ? "wide" : "" },
      figure.heading, figure.chart, figure.note);
    figure.element.rows = () => rowsOf(figure);
    find(figure.place).append(figure.element);
    resized.observe(figure.chart);
  }
  const watch = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const figure = figures.find((one) => one.element === entry.target);
      figure.near = entry.isIntersecting;
      if (figure.near) draw(figure);
    }
  }, { rootMargin: "300px" });
  figures.forEach((figure) => watch.observe(figure.element));
}

// A plot is drawn as wide as its column, and no wider than it was made; the inner part never gets
// narrower than this many pixels. A plot that is still too wide can be scrolled.
const LEAST = 150;
const OVERHANG = 8; // pixels that the last label of an axis may reach beyond what Vega reckons with

// The signal of the inner width: of the plot, or of each of its panels. Matrices have none.
function widthSignal({ width, signals = [] }) {
  if (typeof width === "number") return "width";
  return signals.some(({ name, value }) => name === "child_width" && value) ? "child_width" : null;
}

async function fit(figure) {
  const { chart, fits, view: embedded } = figure;
  const signal = fits && embedded ? widthSignal(embedded.vgSpec) : null;
  if (signal && chart.clientWidth) { // which is 0 while it is hidden
    embedded.made ??= embedded.view.signal(signal);
    // The room that labels take depends on the width, so one step may not be enough.
    for (let step = 0; step < 3; step += 1) {
      const now = embedded.view.signal(signal);
      const drawn = +chart.querySelector("svg.marks").getAttribute("width");
      const left = chart.clientWidth - OVERHANG - drawn;
      const wanted = Math.min(embedded.made, Math.max(LEAST, Math.floor(now + left)));
      if (wanted === now) break;
      await embedded.view.signal(signal, wanted).resize().runAsync();
      if (figure.view !== embedded) return; // something else was picked meanwhile
    }
  }
  showEdges();
}

const resized = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const figure = figures.find((one) => one.chart === target);
    if (figure.done) fit(figure);
  }
});

// A megabyte of script, which nothing but plots waits for.
let unpacking;

async function loadVega() {
  unpacking ??= unpack(find("vega"));
  await unpacking;
  if (!window.vegaEmbed) {
    document.head.append(make("script", {}, find("vega").textContent));
  }
  return window.vegaEmbed;
}

// What a plot shows, for whoever asks its element; nothing while what was picked is not drawn yet.
function rowsOf({ view, names, done, ...figure }) {
  if (!view || done !== nowOf(figure)) return null;
  return Object.fromEntries(names.map((name) => [name, view.view.data(name)]));
}

const expanded = ({ columns, texts, rows }) => rows.map((row) => Object.fromEntries(
  columns.map((name, at) => [name, texts[name]?.[row[at]] ?? row[at]])));

const unpacked = (datasets) => Object.fromEntries(
  Object.entries(datasets).map(([name, packed]) => [name, expanded(packed)]));

// Within the text of a specification, names are written as JSON has them.
const specificationOf = (figure) =>
  JSON.parse(named(JSON.stringify(figure.data.spec), (name) => JSON.stringify(name).slice(1, -1)));

const nowOf = (figure) => [keyOf(figure), looks.dark].join("|");

async function draw(figure) {
  const now = nowOf(figure);
  if (figure.drawn === now) return;
  figure.drawn = now;
  figure.data ??= read(`figure-data-${figure.id}`);
  fill(figure.heading, named(figure.title));
  fill(figure.note, named(figure.caption));
  const datasets = datasetsOf(figure);
  if (typeof datasets === "string") {
    figure.view?.finalize();
    figure.view = null;
    fill(figure.chart, make("p", { class: "soft" }, datasets));
    return;
  }
  const spec = { ...specificationOf(figure), datasets };
  const config = content.themes[looks.dark ? "dark" : "light"];
  // In an element of its own: what was picked before may still be on its way into another.
  const place = make("div");
  const vegaEmbed = await loadVega();
  const embedded = await vegaEmbed(place, spec, {
    config,
    renderer: "svg",
    logLevel: 1, // errors
    actions: { export: true, source: false, compiled: false, editor: false },
  });
  if (figure.drawn !== now) return embedded.finalize(); // something else was picked meanwhile
  figure.view?.finalize();
  figure.view = embedded;
  figure.names = Object.keys(datasets);
  fill(figure.chart, place);
  embedded.view.addEventListener("click", (event, item) => clicked(item));
  await fit(figure);
  if (figure.view === embedded) figure.done = now;
}

// Those in view at once. The others one after the other while nothing else is to be done, so that
// what is printed is what was picked.
function redraw() {
  figures.filter((figure) => figure.near).forEach(draw);
  if (!ahead) drawAhead();
}

let ahead = false;

function drawAhead() {
  const idle = window.requestIdleCallback ?? ((later) => setTimeout(later, 50));
  const left = figures.find((figure) => figure.element && figure.drawn !== nowOf(figure));
  ahead = left !== undefined;
  if (left) idle(() => draw(left).finally(drawAhead), { timeout: 1000 });
}
