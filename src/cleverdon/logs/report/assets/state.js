// The metric that the reader selected, and the data of plots for it.

const state = { metric: 0 };

const keyOf = (figure) => (figure.varies === "metric" ? `${state.metric}` : "");

function datasetsOf(figure) {
  const found = figure.data.rows[keyOf(figure)];
  return found ? unpacked(found) : "There is nothing to draw.";
}

const nameOf = ({ metric, percentile }) => (percentile ? `${metric} ${percentile}` : metric);

function named(text, written) {
  const pick = content.daily[state.metric];
  return withNames(text, { metric: nameOf(pick), axis: pick.axis }, written);
}

// Nothing in these plots can be opened.
function clicked() {}
