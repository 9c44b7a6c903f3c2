"""The bridge between judgments and traffic.

known_topics(topics, qrels)     which topics are which queries, and which are judged
traffic(log)                    how often each query was asked, and how often it failed
coverage(traffic, topics)       which judged topics have traffic, and how much of all of it
to_judge(traffic, topics)       the queries to judge next
weighted(scores, weights)       means of offline measures by traffic
correlated(scores, stages, ...) whether a measure and an online metric agree over queries
"""

from cleverdon.online.bridge.by_text import TextValue, by_text
from cleverdon.online.bridge.correlation import Coefficient, Correlation, Point, correlated
from cleverdon.online.bridge.coverage import Coverage, TopicTraffic, coverage
from cleverdon.online.bridge.to_judge import Candidate, ToJudge, to_judge, write_topics
from cleverdon.online.bridge.topics import Topics, known_topics
from cleverdon.online.bridge.traffic import FAILURES, Totals, Traffic, traffic
from cleverdon.online.bridge.weighting import (
    WeightedDifference,
    WeightedMean,
    Weighting,
    weighted,
)

__all__ = [
    "FAILURES",
    "Candidate",
    "Coefficient",
    "Correlation",
    "Coverage",
    "Point",
    "TextValue",
    "ToJudge",
    "TopicTraffic",
    "Topics",
    "Totals",
    "Traffic",
    "WeightedDifference",
    "WeightedMean",
    "Weighting",
    "by_text",
    "correlated",
    "coverage",
    "known_topics",
    "to_judge",
    "traffic",
    "weighted",
    "write_topics",
]
