"""A whole project in one file, and a project out of such a file again."""
