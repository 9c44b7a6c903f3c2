"""A transcript of every command and page, and its replay, which checks that output stays the same.

The commands are in `commands/`, the requests to the judging app in `pages.py`, and their output in
`recorded/`: exit codes, both streams and the written files. Each test runs some commands again and
compares every byte.

    pytest tests/transcript -n 2                      replay
    python -m tests.transcript record                     record again, and delete stale recordings
    python -m tests.transcript diff OLD [NEW]             show the differences of two recordings
    python -m tests.transcript diff --numbers OLD [NEW]   the same, but words may differ

OLD and NEW are git revisions; NEW is the working tree by default. With `--numbers`, exit codes, the
names of written files, and the sequence of all numbers in each output have to be the same.

Numbers with eleven or more decimals are kept to nine significant digits: another processor, or
another version of NumPy or DuckDB, may give other last digits.
"""
