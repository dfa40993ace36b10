import pytest
from core.tests import captures


@pytest.fixture
def captured():
    """What a real tool printed: captured("iperf3-3.18", "tcp"); see fixtures/capture.py."""
    return captures.captured
