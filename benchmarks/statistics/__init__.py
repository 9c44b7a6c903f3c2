"""Simulations of every test, interval and correction: do they keep what they promise?

    python -m benchmarks.statistics                          # prints all tables
    python -m benchmarks.statistics --part tests --repetitions 4000
    python -m benchmarks.statistics --write docs/statistics.md
    python -m benchmarks.statistics --scores DIR --write docs/statistics.md   # on real scores

Systems are made up, queries are drawn from 20,000 of theirs, and the truth is what all 20,000 say.
The same seed gives the same tables. Each part is a module of its own; `populations` has what
samples are drawn from, and `tables` how shares are written.
"""
