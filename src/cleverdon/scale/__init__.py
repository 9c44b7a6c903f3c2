"""Evaluation where the data lies: on Spark.

`cleverdon.evaluate` takes frames, tables and paths of Spark's, and `SparkScores` come out.
"""
