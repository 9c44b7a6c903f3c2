"""Online metrics: one class each, in families."""
