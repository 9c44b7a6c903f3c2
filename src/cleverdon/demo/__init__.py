"""A small test collection from Python's own documentation, to have something to evaluate at once.

The docstrings of the standard library are on every machine that has Python. Each is cut in two: the
summary line becomes a query, the rest is what four search systems may look at, and the judgments
follow from which item a summary describes and which neighbours share its topic. Nothing is
downloaded, and the same interpreter writes the same bytes every time.

    from pathlib import Path
    from cleverdon.demo import write_demo

    demo = write_demo(Path("demo"))
    demo.qrels, demo.runs
"""

from cleverdon.demo.write import Demo, write_demo

__all__ = ["Demo", "write_demo"]
