"""The chart toolkit: theme, saving, and the parts that plots of several packages share."""
