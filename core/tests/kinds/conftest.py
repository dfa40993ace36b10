"""A fake lab, and what real tools printed."""

from dataclasses import replace

import pytest
from bench.scripted.lab import FakeLab
from core.tests.captures import captured


@pytest.fixture
def lab():
    return FakeLab()


@pytest.fixture
def fake_lab():
    """Makes a lab that differs from the usual one."""
    return FakeLab


@pytest.fixture
def real():
    """What a real tool printed."""
    return captured


@pytest.fixture
def changed():
    """A captured output with some of it changed."""
    return replace
