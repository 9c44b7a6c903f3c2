"""How many cases hypothesis makes, how many threads numpy takes, and that Ctrl-C is heard.

`ci` is the default: the same cases every time, few enough to wait for. To search for new ones:

    HYPOTHESIS_PROFILE=fuzz pytest tests/differential
"""

from __future__ import annotations

import os
import signal

from hypothesis import HealthCheck, settings

# Matrices are small here, and all cores are busy: threads of OpenBLAS would only wait for each
# other, which takes up to half of a test's time. It reads this when numpy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A shell without job control starts what it puts in the background with Ctrl-C ignored, and so it
# is for all that this starts. Some tests press it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A collection is a large thing to draw, and how long that takes says nothing about Cleverdon.
_SLOW_DRAWS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]

settings.register_profile(
    "ci",
    max_examples=12,  # make fuzz has many more
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=_SLOW_DRAWS,
)
settings.register_profile(
    "fuzz",
    max_examples=5000,
    derandomize=False,
    deadline=None,
    print_blob=True,
    suppress_health_check=_SLOW_DRAWS,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
