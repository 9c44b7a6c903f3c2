"""Load on an engine, and what it does to response times.

queries -> Mix -> Arrivals -> run_load -> Load -> percentiles, throughput, errors
"""
