"""What is stored, where, and how the form of it changes from version to version."""

from cleverdon.assess.store.database import Database
from cleverdon.assess.store.file import StoreFailure

__all__ = ["Database", "StoreFailure"]
