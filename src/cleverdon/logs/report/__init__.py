"""The report of a search log: one HTML file with its metrics, plots, lists and method, offline."""
