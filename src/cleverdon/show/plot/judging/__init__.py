"""Plots of judgments: one function each, which returns an altair chart."""

from cleverdon.show.plot.judging.grades import grades_of_judges

__all__ = ["grades_of_judges"]
