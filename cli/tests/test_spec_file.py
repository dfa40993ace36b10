"""Specifications from files, and what options change of them."""

from pathlib import Path

import pytest

from podmeter_cli.exits import UsageError
from podmeter_cli.spec_file import minutes, read, share, with_options

SPEC = {"name": "paths", "kind": "throughput", "repetition": {"rounds": 3, "trials": 2}}


def test_until_decided_takes_the_place_of_rounds() -> None:
    changed = with_options(SPEC, "10%", "1h30m")
    until = {"difference": 0.1, "most_minutes": 90}
    assert changed["repetition"] == {"trials": 2, "until_decided": until}
    assert SPEC["repetition"] == {"rounds": 3, "trials": 2}


def test_without_options_it_stays_as_it_is() -> None:
    assert with_options(SPEC, None, None) is SPEC


@pytest.mark.parametrize(("text", "value"), [("10%", 0.1), ("0.05", 0.05), ("2.5 %", 0.025)])
def test_differences(text: str, value: float) -> None:
    assert share(text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["", "ten", "0", "-5%", "100%", "10", "nan"])
def test_what_is_no_difference_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="10%"):
        share(text)


@pytest.mark.parametrize(("text", "value"), [("30m", 30), ("2h", 120), ("1h30m", 90), ("5min", 5)])
def test_times(text: str, value: int) -> None:
    assert minutes(text) == value


@pytest.mark.parametrize("text", ["", "30", "0m", "1d", "m", "1h30"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="30m"):
        minutes(text)


@pytest.mark.parametrize("text", ["- a list", "a: [", "just words"])
def test_a_file_without_a_specification_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "spec.yaml").write_text(text)
    with pytest.raises(UsageError, match=r"spec\.yaml"):
        read(str(tmp_path / "spec.yaml"))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read(str(tmp_path / "missing.yaml"))


def test_words_stay_words_as_on_the_server(tmp_path: Path) -> None:
    (tmp_path / "spec.yaml").write_text(
        "axes: {keep_alive: [off, on]}\nseed: 010\nwhen: 2024-01-01\nlong: 1:30\nyes: true\n"
    )
    assert read(str(tmp_path / "spec.yaml")) == {
        "axes": {"keep_alive": ["off", "on"]},
        "seed": 10,
        "when": "2024-01-01",
        "long": "1:30",
        "yes": True,
    }


def test_a_key_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "spec.yaml").write_text("name: one\nname: two\n")
    with pytest.raises(UsageError, match="'name' is defined twice, on lines 1 and 2"):
        read(str(tmp_path / "spec.yaml"))
