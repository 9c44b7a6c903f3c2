"""Recall: the number of relevant documents, with intervals, and what the estimates rest on.

estimate_recall(judgments, runs) -> Recall                  all of it at once
draw_sample -> judges -> strata_of_pool -> estimate_from_sample
find_judged_results -> estimate_by_chapman, estimate_by_chao, dependence, saturation, reuse_of
"""
