"""Load tests of an engine: response times, throughput, errors.

queries -> Mix, pattern -> run_load -> Load -> percentiles, sweep, versus, soak
"""
