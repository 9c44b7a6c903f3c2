"""HdrHistograms: as precise as they promise, and read by others."""

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.engines.load.results import _HDR_PRECISION, HDR_LOG_HEADER, Histogram

TIMES = st.lists(st.floats(0, 3600), min_size=1, max_size=60).map(np.array)
SHORT = st.lists(st.floats(0, 0.1), min_size=1, max_size=60).map(np.array)


@given(TIMES | SHORT)
def test_every_rank_is_the_exact_time_to_three_digits_or_a_microsecond(seconds):
    histogram = Histogram.of(seconds)
    for rank, exact in enumerate(np.sort(seconds), start=1):
        found = histogram.at_rank(rank)
        assert exact - 0.6e-6 <= found <= exact * (1 + _HDR_PRECISION) + 0.6e-6
    assert histogram.at_rank(len(seconds)) <= seconds.max()


@given(TIMES)
def test_counts_are_those_of_values_recorded_one_by_one(seconds):
    plain = HdrHistogram(1, 3_600_000_000, 3)
    for value in seconds:
        plain.record_value(int(np.rint(value * 1e6)))
    assert list(Histogram.of(seconds).held.counts) == list(plain.counts)


def test_times_beyond_an_hour_count_as_an_hour():
    histogram = Histogram.of(np.array([1.0, 7200.0]))
    assert histogram.held.get_total_count() == 2
    assert histogram.at_rank(2) == pytest.approx(3600, rel=_HDR_PRECISION)


def test_what_is_encoded_can_be_decoded():
    seconds = np.random.default_rng(1).lognormal(-5, 1, 2000)
    read = HdrHistogram.decode(Histogram.of(seconds).encoded())
    assert read.get_total_count() == 2000
    assert read.get_value_at_percentile(99) / 1e6 == pytest.approx(
        np.quantile(seconds, 0.99, method="inverted_cdf"), rel=_HDR_PRECISION, abs=1e-6
    )


def test_a_log_of_histograms_can_be_read(tmp_path):
    first, second = np.array([0.001, 0.002]), np.array([0.5])
    file = tmp_path / "load.hlog"
    plain_line = Histogram.of(first).log_line(start=0.0, seconds=1.5)
    tagged_line = Histogram.of(second).log_line(start=1.5, seconds=1.5, tag="service")
    file.write_text(HDR_LOG_HEADER + plain_line + tagged_line)
    reader = HistogramLogReader(str(file), HdrHistogram(1, 3_600_000_000, 3))
    plain, tagged = reader.get_next_interval_histogram(), reader.get_next_interval_histogram()
    assert (plain.get_total_count(), plain.get_tag()) == (2, None)
    assert (tagged.get_total_count(), tagged.get_tag()) == (1, "service")
    assert tagged.get_max_value() / 1e6 == pytest.approx(0.5, rel=_HDR_PRECISION)
    assert reader.get_next_interval_histogram() is None
    reader.input_file.close()
