// Tables and lists, from rows of text.

function tableOf({ header, rows, labels }, titles = {}) {
  const side = (at) => (at < labels ? "" : "number");
  const head = header.map((name, at) =>
    make("th", { class: side(at), scope: "col", title: titles[at] }, name));
  const body = rows.map((row) => make("tr", {},
    ...row.map((text, at) => make("td", { class: side(at) }, ...words(text)))));
  return make("div", { class: "scroll" }, make("table", {},
    make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body)));
}

function listed(list) {
  const { table, notes, columns } = list;
  return make("div", { id: `list-${list.name}` },
    make("h3", {}, list.name), make("p", { class: "soft" }, list.about),
    table.rows.length ? tableOf(
      { ...table, header: [Object.values(columns)[0], ...table.header.slice(1)] },
      Object.values(columns)) : null,
    ...notes.map((note) => make("p", { class: "soft" }, note)));
}

const items = (kind, texts) => make("ul", { class: kind }, ...texts.map((text) =>
  make("li", {}, text)));
