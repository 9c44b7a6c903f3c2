"""Commands on comparisons: compare, claim, slices, gate, power, correlate, splits, tune."""
