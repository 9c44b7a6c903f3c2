"""Where relevant results stand."""
