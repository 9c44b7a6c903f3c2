"""Calls for programs, and for the scripts of the pages: JSON in and out."""
