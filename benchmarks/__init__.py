"""Compare Cleverdon with its peers: `python -m benchmarks` from the checkout, or `make bench`.

Everything is measured in the same run on the same data, because a ratio of two numbers from
different days means nothing. People read the result; no unit test depends on times.
"""
