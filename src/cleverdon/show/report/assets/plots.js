// Plots: drawn when they come into view, and again when what they show has changed.

const figures = content.figures.map((about) => ({ ...about, drawn: null, view: null }));

function listFigures() {
  for (const figure of figures) {
    figure.chart = make("div", { class: "chart" });
    figure.heading = make("h3", {});
    figure.note = make("figcaption", {});
    figure.element = make("figure", { id: `figure-${figure.id}`, class: figure.wide ? "wide" : "" },
      figure.heading, figure.chart, figure.note);
    figure.element.rows = () => rowsOf(figure);
    find(figure.varies === "topic" ? "topic-figures" : "figure-list").append(figure.element);
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

// A megabyte of script, which nothing but plots waits for.
function loadVega() {
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

function keyOf(figure) {
  if (figure.varies === "never") return "";
  if (figure.varies === "measure") return `${state.measure}`;
  if (figure.varies === "system") return `${state.system}`;
  if (figure.varies === "topic") return `${state.topic} ${state.system}`;
  const pair = `${state.measure} ${baseline()}`;
  if (figure.varies === "pair") return pair;
  return [pair, state.system, state.outcome, state.find].join(" ");
}

function datasetsOf(figure) {
  if (figure.id in DERIVED) return DERIVED[figure.id]();
  const found = figure.data.rows[keyOf(figure)];
  if (!found && figure.varies === "pair" && baseline() < 0) return "Pick a baseline to see this.";
  if (!found) return `There is none of ${measure().name}.`;
  return Object.fromEntries(
    Object.entries(found).map(([name, packed]) => [name, expanded(packed)]));
}

// Names are put where the plots have marks for them.
function named(text, written = (name) => name) {
  const names = {
    measure: measure().name,
    other: measures[state.measure ? 0 : Math.min(1, measures.length - 1)].name,
    baseline: baseline() < 0 ? "the median of all systems" : systems[baseline()],
    system: systems[state.system],
  };
  return text.replace(/⟦(\w+)⟧/g, (mark, which) => (which in names ? written(names[which]) : mark));
}

// Within the text of a specification, names are written as JSON has them.
const specificationOf = (figure) =>
  JSON.parse(named(JSON.stringify(figure.data.spec), (name) => JSON.stringify(name).slice(1, -1)));

const nowOf = (figure) => [keyOf(figure), state.dark].join("|");

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
  const config = content.themes[state.dark ? "dark" : "light"];
  // In an element of its own: what was picked before may still be on its way into another.
  const place = make("div");
  const embedded = await loadVega()(place, spec, {
    config,
    renderer: "svg",
    logLevel: 1, // errors
    actions: { export: true, source: false, compiled: false, editor: false },
  });
  if (figure.drawn !== now) return embedded.finalize(); // something else was picked meanwhile
  figure.view?.finalize();
  figure.view = embedded;
  figure.names = Object.keys(datasets);
  figure.done = now;
  fill(figure.chart, place);
  embedded.view.addEventListener("click", (event, item) => {
    const name = item?.datum?.topic;
    if (name === undefined) return;
    const first = `${name}`.replace(/ \+\d+$/, ""); // of topics that share a bar
    const at = topics.findIndex(({ id }) => id === name || id === first);
    if (at >= 0) open(at);
  });
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
