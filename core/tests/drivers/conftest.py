import json
from pathlib import Path

import pytest

from podmeter.domain.ports import CommandOutput

FIXTURES = Path(__file__).parents[1] / "fixtures"


@pytest.fixture
def captured():
    """What a real tool printed: captured("iperf3-3.18", "tcp"); see fixtures/capture.py."""

    def load(folder, name):
        base = FIXTURES / folder / name
        exit_code = json.loads(base.with_suffix(".json").read_text())["exit_code"]
        return CommandOutput(
            stdout=base.with_suffix(".stdout").read_text(),
            stderr=base.with_suffix(".stderr").read_text(),
            exit_code=exit_code,
            seconds=3.0,
        )

    return load
