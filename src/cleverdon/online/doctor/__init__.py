"""The log doctor: which metrics a log supports, and what looks wrong with it.

examine(log)            all of it, as a `Diagnosis`
checks()                everything that is looked for
"""

from cleverdon.online.doctor.base import Check, checks
from cleverdon.online.doctor.examining import examine
from cleverdon.online.doctor.findings import Diagnosis, Finding, Size, Support
from cleverdon.online.doctor.limits import Limits

__all__ = ["Check", "Diagnosis", "Finding", "Limits", "Size", "Support", "checks", "examine"]
