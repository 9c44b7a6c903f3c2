// What makes the page answer: picks of measure, baseline and topics, plots, and a topic's rankings.
// Everything that comes from the input gets into the document as text, by `make` and textContent.
"use strict";

(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const find = (id) => document.getElementById(id);
  const content = read("content");
  const { systems, measures, topics, values, comparisons } = content;
  const compared = new Set(content.compared);
  const CLAIMS = 12; // that are seen at once; pairs of many systems have more
  const MORE = 25; // topics that are listed at a time
  const DARK = matchMedia("(prefers-color-scheme: dark)");

  const state = {
    measure: 0, // indices, so that no name need be looked up
    comparison: 0,
    system: systems.length - 1,
    find: "",
    outcome: "all",
    sort: "topic",
    falling: false,
    listed: MORE,
    topic: null,
    dark: DARK.matches,
  };

  // Elements

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value === true) element.setAttribute(name, "");
      else if (value !== false && value !== undefined) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }

  function fill(element, ...children) {
    element.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
  }

  const measure = () => measures[state.measure];
  const comparison = () => comparisons[state.comparison];
  const baseline = () => {
    const name = comparison()?.baseline ?? null;
    return name === null ? -1 : systems.indexOf(name);
  };
  const shown = (value, digits = measure().digits, sign = false) =>
    value === null || value === undefined
      ? "-"
      : (sign && value > 0 ? "+" : "") + value.toFixed(digits);

  // Claims, doubts and the table

  function claimItem(claim) {
    return make("li", { class: claim.verdict.replace(" ", "-") }, claim.text);
  }

  function showClaims() {
    const compared = comparison();
    find("claims").hidden = !compared;
    if (!compared) return;
    const name = measure().name;
    fill(find("headline"), compared.headlines[name] ?? `${name} was not compared.`);
    const own = compared.claims.filter((claim) => claim.measure === name).map(claimItem);
    const folded = own.splice(CLAIMS);
    if (folded.length) {
      own.push(make("li", {}, make("details", {}, make("summary", {}, `${folded.length} more`),
        make("ul", {}, ...folded))));
    }
    fill(find("claim-list"), ...own);
    const others = compared.claims.filter((claim) => claim.measure !== name);
    find("other-claims").hidden = others.length === 0;
    fill(find("other-claims").querySelector("ul"), ...others.map(claimItem));
  }

  function showDoubts() {
    if (!content.doubts.length) return;
    const items = content.doubts.map((doubt) =>
      make("li", {}, make("span", { class: "name" }, doubt.name), `: ${doubt.sentence}. `,
        make("span", { class: "soft" }, doubt.reference)));
    fill(find("doubts"), make("h3", {}, "Before you believe it"), make("ul", {}, ...items));
  }

  function showTable() {
    const body = find("table-body");
    if (comparison()) {
      body.innerHTML = comparison().table; // written, and escaped, together with the page
      return;
    }
    const head = make("tr", {}, make("th", {}, "system"),
      ...measures.map((m) => make("th", { class: "number" }, m.name)));
    const rows = systems.map((system, s) => make("tr", {}, make("td", {}, system),
      ...measures.map((m, at) =>
        make("td", { class: "number" }, shown(content.means[at][s], m.digits)))));
    fill(body, make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
  }

  // Plots: drawn when they come into view, and again when what they show has changed

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

  // Plots whose rows are too many to be written for every measure and baseline. The columns are
  // those of by_topic.py and precision_recall.py, and tests hold both to the same numbers.

  const SHOWN = 300; // bars or columns that can be told apart; more topics than that share them

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
    const { id, text } = topics[group[0]];
    const others = group.length - 1;
    if (others) return { topic: `${id} +${others}`, about: `${id} and ${others} more, their mean` };
    return { topic: id, about: text ? `${id}: ${text}` : id };
  }

  const comparedPicks = () => picked().filter((t) => compared.has(t));

  const DERIVED = {
    topics() {
      const s = state.system;
      if (s === baseline()) return "Pick a system other than the baseline to see this.";
      const of = new Map(comparedPicks().map((t) => [t, difference(s, t)]));
      const order = [...of.keys()].sort((a, b) => sign() * (of.get(b) - of.get(a)));
      return {
        topics: groups(order, SHOWN).map((group) => {
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
      return {
        cells: groups(order, most).flatMap((group) => systems.map((system, s) => (
          { system, ...about(group), value: mean(group.map((t) => settled(s, t))) }))),
      };
    },

    precision_recall() {
      const of = state.topic === null ? null : rankings?.topics[state.topic];
      if (!of) return "Click a topic to see this.";
      if (!of.of) return "The topic has no relevant document, and so no recall.";
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

  // Topics

  const sign = () => (measure().better === "lower" ? -1 : 1);

  const gain = (s, t) => (compared.has(t) ? sign() * difference(s, t) : null);

  function picked() {
    const words = state.find.toLowerCase();
    const [, way, system] = state.outcome.match(/^(up|down) (\d+)$/) ?? [];
    return topics.map((_, t) => t).filter((t) => {
      const { id, text = "" } = topics[t];
      if (words && !`${id} ${text}`.toLowerCase().includes(words)) return false;
      if (!way) return true;
      return way === "up" ? gain(+system, t) > 0 : gain(+system, t) < 0;
    });
  }

  function listOutcomes() {
    const against = baseline() < 0 ? "the median" : systems[baseline()];
    const choices = [make("option", { value: "all" }, "all topics")];
    systems.forEach((system, s) => {
      if (s === baseline()) return;
      choices.push(make("option", { value: `up ${s}` }, `${system} better than ${against}`));
      choices.push(make("option", { value: `down ${s}` }, `${system} worse than ${against}`));
    });
    fill(find("outcome"), ...choices);
    find("outcome").value = state.outcome;
    if (find("outcome").selectedIndex < 0) find("outcome").value = state.outcome = "all";
  }

  function ordered(chosen) {
    if (state.sort === "topic") return state.falling ? chosen.reverse() : chosen;
    const of = values[state.measure][+state.sort];
    const direction = state.falling ? -1 : 1;
    return chosen.sort((a, b) => {
      if (of[a] === null || of[b] === null) return (of[a] === null) - (of[b] === null);
      return direction * (of[a] - of[b]) || a - b;
    });
  }

  function sortBy(key) {
    state.falling = state.sort === key ? !state.falling : key !== "topic";
    state.sort = key;
    showTopics();
    find("topic-table").querySelector(`[data-key="${key}"]`).focus(); // it was made anew
  }

  function heading(key, text) {
    const sorted = state.sort === key ? (state.falling ? "descending" : "ascending") : undefined;
    const button = make("button",
      { type: "button", "data-key": key, onclick: () => sortBy(key) }, text);
    return make("th", { class: key === "topic" ? "" : "number", "aria-sort": sorted }, button);
  }

  function cell(s, t) {
    const gained = gain(s, t);
    const way = gained > 0 ? "up" : gained < 0 ? "down" : "";
    return make("td", { class: `number ${way}` }, shown(values[state.measure][s][t]));
  }

  function showTopics() {
    const chosen = ordered(picked());
    const texts = topics.some((topic) => topic.text);
    const head = make("tr", {}, heading("topic", "topic"),
      texts ? make("th", {}, "query") : null,
      ...systems.map((system, s) => heading(`${s}`, system)));
    const rows = chosen.slice(0, state.listed).map((t) =>
      make("tr", { class: t === state.topic ? "open" : "" },
        make("td", {}, make("button",
          { type: "button", "data-topic": t, onclick: () => open(t) }, topics[t].id)),
        texts ? make("td", { class: "text", title: topics[t].text ?? "" }, topics[t].text ?? "") : null,
        ...systems.map((_, s) => cell(s, t))));
    const left = chosen.length - state.listed;
    const part = left > 0 ? `, ${state.listed} of ${chosen.length} topics` : "";
    fill(find("topic-table"), make("caption", {}, `${measure().name}${part}`),
      make("thead", {}, head), make("tbody", {}, ...rows));
    find("more").hidden = left <= 0;
    fill(find("more"), `Show ${Math.min(left, MORE)} more of ${chosen.length} topics`);
    fill(find("picked"), chosen.length === topics.length ? "" : summary(chosen));
  }

  // Averages of topics that were picked for how they look are no evidence, and are said not to be.
  function summary(chosen) {
    const count = `${chosen.length} of ${topics.length} topics`;
    const known = chosen.filter((t) => compared.has(t));
    if (!known.length) return count;
    const means = systems.map((system, s) =>
      `${system} ${shown(mean(known.map((t) => settled(s, t))), Math.max(4, measure().digits))}`);
    return `${count}; means: ${means.join(", ")} (picked, so untested)`;
  }

  // One topic's rankings

  let rankings;

  function open(t) {
    state.topic = t;
    rankings ??= read("ranking-data");
    showTopic();
    showTopics();
    redraw();
    remember();
    find("topic").scrollIntoView({ block: "nearest" });
    find("topic").focus({ preventScroll: true });
  }

  function close() {
    const t = state.topic;
    state.topic = null;
    showTopic();
    showTopics();
    remember();
    // Back to where a reader came from; the topic may be on no page of the list.
    (document.querySelector(`[data-topic="${t}"]`) ?? find("find")).focus({ preventScroll: true });
  }

  function showTopic() {
    const panel = find("topic-body");
    find("topic").hidden = state.topic === null;
    if (state.topic === null) return;
    const t = state.topic;
    const of = rankings?.topics[t];
    const { id, text } = topics[t];
    const done = make("button", { type: "button", class: "close", onclick: close }, "Close");
    const title = make("h3", {}, done, `Topic ${id}`, text ? `: ${text}` : "");
    if (!of) {
      const list = systems.map((system, s) =>
        make("li", {}, `${system}: ${shown(values[state.measure][s][t])}`));
      fill(panel, title, make("ul", {}, ...list),
        make("p", { class: "soft" }, "The rankings were not kept."));
      return;
    }
    const fractions = of.relevant.some(([, grade]) => grade < 1);
    const about = `${of.judged} judged, ${of.of} of them relevant`
      + (fractions ? " (with a grade of 1 or above)." : ".");
    fill(panel, title, make("p", {}, about), legend(of),
      make("div", { class: "rankings" }, ...systems.map((_, s) => ranking(of, s, t))));
  }

  const topGrade = (of) => Math.max(1, ...of.relevant.map(([, grade]) => grade));

  function badge(grade, top) {
    if (grade === null || grade < 0) return make("span", { class: "grade none" }, "–");
    if (grade === 0) return make("span", { class: "grade zero" }, "0");
    const share = Math.min(1, 0.35 + (0.65 * grade) / top);
    const ink = share > 0.95 ? "#fff" : "#000"; // whichever can be read better
    const blue = `rgb(${[0, 114, 178].map((c) => Math.round(255 - share * (255 - c))).join(",")})`;
    const made = make("span", { class: "grade" }, `${grade}`);
    made.style.background = blue; // as a property, which the policy allows
    made.style.color = ink;
    return made;
  }

  function legend(of) {
    const grades = [...new Set(of.relevant.map(([, grade]) => grade))].sort((a, b) => b - a);
    const entries = [...grades.map((grade) => [grade, grade < 1 ? "below relevant" : "relevant"]),
      [0, "judged, not relevant"], [null, "not judged"]];
    return make("div", { class: "legend" }, ...entries.map(([grade, words]) =>
      make("span", {}, badge(grade, topGrade(of)), ` ${words}`)));
  }

  function ranking(of, s, t) {
    const { rows, returned, more, found, missing } = of.systems[s];
    const items = [];
    let last = 0;
    const gap = (from, to) => {
      if (to >= from) items.push(make("li", { class: "gap" }, `⋯ ${to - from + 1} not judged`));
    };
    for (const [rank, doc, grade] of rows) {
      gap(last + 1, rank - 1);
      items.push(result(rank, doc, grade, of));
      last = rank;
    }
    if (more) items.push(make("li", { class: "gap" }, `⋯ ${more} more judged results below`));
    else gap(last + 1, returned);
    if (!returned) items.push(make("li", { class: "gap" }, "nothing returned"));
    const had = new Set(rows.map(([, doc]) => doc));
    const lacking = more || !missing ? [] : of.relevant.filter(([doc]) => !had.has(doc));
    const value = shown(values[state.measure][s][t]);
    return make("div", { class: "ranking" },
      make("h4", {}, systems[s]),
      make("p", { class: "soft" }, `${measure().name} ${value}; ${found.length} of ${of.of} relevant found`),
      make("ol", {}, ...items),
      lacking.length ? make("details", {},
        make("summary", {}, `${missing} graded above 0 not returned`),
        make("ol", {}, ...lacking.map(([doc, grade]) => result(null, doc, grade, of)))) : null);
  }

  function result(rank, doc, grade, of) {
    const id = rankings.documents[doc];
    const [title, text] = rankings.texts?.[doc] ?? ["", ""];
    const body = title || text
      ? make("details", { class: "doc" }, make("summary", {}, id, id.endsWith(title) ? "" : `: ${title}`),
          make("p", {}, text))
      : make("span", { class: "doc" }, id);
    const mark = (on) => () => document.querySelectorAll(`.ranking li[data-doc="${doc}"]`)
      .forEach((item) => item.classList.toggle("same", on));
    return make("li", { "data-doc": doc, onmouseenter: mark(true), onmouseleave: mark(false) },
      make("span", { class: "rank" }, rank === null ? "" : `${rank}`),
      badge(grade, topGrade(of)), body);
  }

  // Files and method

  function showFiles() {
    const said = [
      ...content.warnings.map((text) => make("li", { class: "severity-warning" }, text)),
      ...content.findings.map((finding) => make("li", {},
        make("span", { class: `severity-${finding.severity}` }, `${finding.severity}: `),
        `${finding.file}: ${finding.message}`, finding.fix ? ` (${finding.fix})` : "")),
    ];
    const share = (value) => (value === undefined ? "" : `${(100 * value).toFixed(1)}%`);
    const columns = ["", "file", "rows", "queries", "tied", "judged in top 10", "BLAKE3"];
    const rows = content.method.files.map((file) => make("tr", {},
      make("td", {}, file.name), make("td", { class: "digest" }, file.file || "(in memory)"),
      make("td", { class: "number" }, file.rows.toLocaleString("en")),
      make("td", { class: "number" }, file.queries.toLocaleString("en")),
      make("td", { class: "number" }, share(file.tied)),
      make("td", { class: "number" }, share(file.judged)),
      make("td", { class: "digest name" }, file.digest)));
    fill(find("file-list"),
      said.length ? make("ul", {}, ...said) : make("p", {}, "Nothing was found to be wrong."),
      make("div", { class: "scroll" }, make("table", {},
        make("thead", {}, make("tr", {}, ...columns.map((name) => make("th", {}, name)))),
        make("tbody", {}, ...rows))));
  }

  function facts(record) {
    const rows = Object.entries(record).map(([name, text]) =>
      make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, text)));
    return make("div", { class: "scroll" }, make("table", {}, make("tbody", {}, ...rows)));
  }

  function showMethod() {
    const unfolded = new Set([...find("method-body").querySelectorAll("details[open] > summary")]
      .map((summary) => summary.textContent));
    const { method } = content;
    const { paragraph, facts: choices } = comparison()?.method ?? method;
    fill(find("paragraph"), paragraph);
    const blocks = method.measures.map((one) => {
      const formula = make("div", { class: "formula" });
      if (one.mathml) formula.innerHTML = one.mathml; // made from the measure's own class
      else formula.append(make("code", {}, one.formula ?? ""));
      const kept = { Parameters: one.parameters, Better: one.better, User: one.user,
        Undefined: one.undefined, Source: one.source };
      return make("details", { open: unfolded.has(one.name) },
        make("summary", {}, one.name), make("p", {}, one.about), formula,
        facts(Object.fromEntries(Object.entries(kept).filter(([, text]) => text))));
    });
    fill(find("method-body"), make("h3", {}, "Choices"), facts(choices),
      make("h3", {}, "Versions"), facts(method.versions),
      make("h3", {}, "Measures"), ...blocks);
  }

  // Picks

  function showAll() {
    listOutcomes();
    showClaims();
    showTable();
    showTopics();
    showTopic();
    showMethod();
    redraw();
  }

  // What was picked stands in the address, so that it can be sent.
  function remember() {
    const picks = new URLSearchParams({ measure: measure().name });
    if (comparison()) picks.set("baseline", comparison().baseline ?? "");
    if (systems.length > 1) picks.set("system", systems[state.system]);
    if (state.topic !== null) picks.set("topic", topics[state.topic].id);
    try {
      history.replaceState(null, "", `#?${picks}`);
    } catch {
      // A page within a frame has no address of its own.
    }
  }

  function recall() {
    const picks = new URLSearchParams(location.hash.startsWith("#?") ? location.hash.slice(2) : "");
    const at = measures.findIndex((one) => one.name === picks.get("measure"));
    if (at >= 0) state.measure = at;
    const with_ = comparisons.findIndex((one) => (one.baseline ?? "") === picks.get("baseline"));
    if (with_ >= 0) state.comparison = with_;
    const system = systems.indexOf(picks.get("system"));
    if (system >= 0) state.system = system;
    // At first, a system that there is something to see of.
    else if (state.system === baseline()) state.system = Math.max(0, state.system - 1);
    const topic = topics.findIndex((one) => one.id === picks.get("topic"));
    if (topic >= 0) {
      state.topic = topic;
      rankings ??= read("ranking-data");
    }
  }

  function applyTheme() {
    document.documentElement.dataset.theme = state.dark ? "dark" : "light";
    fill(find("theme"), state.dark ? "Light" : "Dark");
    redraw();
  }

  const PICKS = { measure: find("measure"), comparison: find("baseline"), system: find("system") };

  function picks(key, names) {
    fill(PICKS[key], ...names.map((name, at) => make("option", { value: at }, name)));
    PICKS[key].value = state[key];
    PICKS[key].addEventListener("change", (event) => {
      state[key] = +event.target.value;
      state.listed = MORE;
      remember();
      showAll();
    });
  }

  function start() {
    recall();
    fill(find("basis"), content.notes.join(". "));
    picks("measure", measures.map((one) => one.name));
    picks("comparison", comparisons.map((one) => one.baseline ?? "none: every pair"));
    picks("system", systems);
    find("baseline").parentElement.hidden = comparisons.length < 2;
    find("system").parentElement.hidden = systems.length < 2;
    const setDark = (dark) => {
      state.dark = dark;
      applyTheme();
    };
    find("theme").addEventListener("click", () => setDark(!state.dark));
    DARK.addEventListener("change", () => setDark(DARK.matches));
    find("print").addEventListener("click", async () => {
      await Promise.all(figures.map(draw));
      print();
    });
    find("find").addEventListener("input", (event) => {
      state.find = event.target.value.trim();
      showTopics();
      redraw();
    });
    find("outcome").addEventListener("change", (event) => {
      state.outcome = event.target.value;
      showTopics();
      redraw();
    });
    find("more").addEventListener("click", () => {
      state.listed += MORE;
      showTopics();
    });
    showDoubts();
    showFiles();
    applyTheme();
    showAll();
    document.documentElement.dataset.ready = "yes";
    // Not by the address, which has what was picked, and which in a frame is that of another page.
    document.querySelectorAll("nav a").forEach((link) => link.addEventListener("click", (event) => {
      event.preventDefault();
      const section = find(link.hash.slice(1));
      section.scrollIntoView();
      section.focus({ preventScroll: true });
    }));
    // On paper nobody can open what is folded; the texts of documents would fill it.
    let unfolded = [];
    addEventListener("beforeprint", () => {
      unfolded = [...document.querySelectorAll(
        "main details:not([open], .doc, .vega-embed > details)")];
      unfolded.forEach((one) => { one.open = true; });
    });
    addEventListener("afterprint", () => unfolded.forEach((one) => { one.open = false; }));
    // An address that was sent, opened where the report is open already.
    addEventListener("hashchange", () => {
      if (!location.hash.startsWith("#?")) return;
      recall();
      ["measure", "comparison", "system"].forEach((key) => { PICKS[key].value = state[key]; });
      showAll();
    });
    setTimeout(() => {
      listFigures();
      redraw();
    });
  }

  start();
})();
