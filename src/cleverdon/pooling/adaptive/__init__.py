"""Adaptive pooling: each judgment decides what is judged next.


    judging = AdaptiveJudging(gather(runs), method="mtf")
    for query, doc in judging:
        judging.judge(query, doc, grade_of(query, doc))

`methods.py` has the methods. `judging.py` goes through all queries, `journal.py` keeps what
happened in a file from which judging is resumed, `batches.py` takes judgments and gives documents
in batches, and `simulation.py` plays methods against known judgments.
"""
