"""Indexing costs: time, memory, disk, and how they grow with the collection.

    collection -> DocumentFile (JSON lines) -> build, in a process that is watched -> Build
    builds -> SizeBuilds (repetitions) -> IndexingResult (sizes) -> Growth, Costs

Nothing is imported here: the process that indexes loads this package, and its memory is measured.
"""
