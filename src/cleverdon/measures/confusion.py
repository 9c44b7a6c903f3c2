"""The whole result as a set: the confusion matrix."""
