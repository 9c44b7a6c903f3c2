"""Pages for people: plain HTML forms, which scripts only make quicker."""
