"""The table toolkit: one table type, written as text, Markdown, LaTeX, HTML, CSV and TSV.


It knows nothing of search.
"""
