"""Generated search logs of any size, whose truth is known, to test and to measure with."""

from cleverdon._common.extras import require

require("pyarrow", "generating logs", extra="logs")
