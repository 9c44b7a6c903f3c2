"""Cleverdon beside its peers: `python -m benchmarks` from the checkout, or `make bench`.

Everything is measured in the same run on the same data, because a ratio between two numbers from
different days says nothing. This is a program to be read by people, never a timed unit test.
"""
