"""What a run's report says would decide its cases."""

from __future__ import annotations

from .headlines.test_controls import WITH_CONTROL, nftables
from .headlines.test_headlines import report_of, run_of


def test_controls_are_not_among_what_has_to_be_decided() -> None:
    """All cases but the controls are decided, and these should not differ."""
    assert report_of(run_of(WITH_CONTROL, nftables(1.05, 1.0), 0.02, 6)).next_run is None


def test_controls_that_were_asked_for_alone_are() -> None:
    axes = {**WITH_CONTROL["axes"], "target": ["pod"], "probe": ["qps-keepalive"]}
    alone = {**WITH_CONTROL, "axes": axes}
    assert report_of(run_of(alone, nftables(1.0, 1.0), 0.02, 6)).next_run is not None
