"""A live search engine under test: what it finds, how fast, and what it costs.

Engine.search(query, k) -> results      one question: an answer, or a SearchFailure
topics -> searching -> Run              a run file, as any other
arrivals -> load -> latencies           open or closed loop
documents -> indexing -> costs          time, memory, disk
"""
