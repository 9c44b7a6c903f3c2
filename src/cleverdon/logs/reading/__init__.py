"""Reading search logs: every kind of file and table to one `Log`."""
