"""A small test collection from Python documentation, to have something to evaluate.


The docstrings of the standard library are on every machine that has Python. Each is cut in two:
the summary line becomes a query, the rest is what four search systems may look at, and the
judgments follow from which item a summary describes and which neighbours share its query.
Nothing is downloaded, and the same interpreter writes the same bytes every time.
"""
