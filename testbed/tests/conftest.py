"""What tests of testbeds share that start none."""

import contextlib

import pytest

from podmeter_testbed import lifecycle, requirements


@pytest.fixture
def taken_for_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """`up` treats a testbed as running, whatever else runs on this machine."""
    monkeypatch.setattr(lifecycle, "is_whole", lambda layout: True)
    monkeypatch.setattr(lifecycle, "only_one", contextlib.nullcontext)
    monkeypatch.setattr(requirements, "check", lambda **_: None)
