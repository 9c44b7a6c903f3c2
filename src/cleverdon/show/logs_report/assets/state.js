// What is picked, and what follows from it for plots.

const state = { metric: 0 };

const keyOf = (figure) => (figure.varies === "metric" ? `${state.metric}` : "");

function datasetsOf(figure) {
  const found = figure.data.rows[keyOf(figure)];
  return found ? unpacked(found) : "There is nothing to draw.";
}

const nameOf = ({ metric, percentile }) => (percentile ? `${metric} ${percentile}` : metric);

// Names are put where the plots have marks for them.
function named(text, written = (name) => name) {
  const pick = content.daily[state.metric];
  const names = { metric: nameOf(pick), axis: pick.axis };
  return text.replace(/⟦(\w+)⟧/g, (mark, which) => (which in names ? written(names[which]) : mark));
}

// Nothing in these plots can be opened.
function clicked() {}
