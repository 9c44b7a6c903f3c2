"""What it takes to index a collection: time, memory, disk, and how they grow with it.

collection -> Prepared (JSON lines) -> build, in a process that is watched -> Build
builds -> Sized (repetitions) -> Indexing (sizes) -> Growth, Costs

Nothing is imported here: the process that indexes should hold no more than it needs.
"""
