"""A transcript of every command and page, and its replay: what the program says stays the same.

The commands are in `commands/`, the requests to the judging app in `pages.py`, and what they
said in `recorded/`: exit codes, both streams and the files that were written. Each test runs some
commands again and compares every byte.

    pytest tests/transcript -n 2                      replay
    python -m tests.transcript record                 record anew, and delete what is stale
    python -m tests.transcript diff OLD [NEW]         what differs between two recordings
    python -m tests.transcript diff --numbers OLD [NEW]   the same, but words may differ

OLD and NEW are git revisions; without NEW it is the working tree. With `--numbers`, exit codes,
which files are written, and the sequence of all numbers in each output have to be the same.

Numbers with eleven or more decimals are kept to nine significant digits: another processor, or
another version of NumPy or DuckDB, may give other last digits.
"""
