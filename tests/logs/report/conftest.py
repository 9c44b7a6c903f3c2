"""Pages without the plotting library, except where it is what a test is about."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.reports.examples import without_vega


@pytest.fixture(autouse=True)
def plain_pages() -> Iterator[None]:
    with without_vega():
        yield
