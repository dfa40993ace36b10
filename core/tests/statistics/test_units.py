"""Tool units and their way back to people."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podmeter.domain.measurement import Unit
from podmeter.statistics import format_quantity, parse_quantity, to_base
from podmeter.statistics.units import UnknownUnitError

BITS, SECONDS, PER_SECOND = Unit.BITS_PER_SECOND, Unit.SECONDS, Unit.PER_SECOND


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        # qperf, as in its article.
        ("331 MB/sec", 331e6 * 8, BITS),
        ("2.43 GB/sec", 2.43e9 * 8, BITS),
        ("5.05 K/sec", 5050, PER_SECOND),
        ("125 us", 125e-6, SECONDS),
        ("451 ms/GB", 451e-12, Unit.SECONDS_PER_BYTE),
        ("2.05 sec/GB", 2.05e-9, Unit.SECONDS_PER_BYTE),
        ("73.5 % cpus", 0.735, Unit.RATIO),
        ("4,001", 4001, Unit.COUNT),
        ("64 KiB", 65536, Unit.BYTES),
        ("1.2 million", 1.2e6, Unit.COUNT),
        ("9.4 Gb/sec", 9.4e9, BITS),
        # iperf3: bits in thousands, bytes in 1024.
        ("2.85 Gbits/sec", 2.85e9, BITS),
        ("512 Kbits/sec", 512e3, BITS),
        ("1.53 MBytes", 1.53 * 2**20, Unit.BYTES),
        ("100 MBytes/sec", 100 * 2**20 * 8, BITS),
        # ab.
        ("4589.65 #/sec", 4589.65, PER_SECOND),
        ("597.5 Kbytes/sec", 597.5 * 1024 * 8, BITS),
        # Linux and Kubernetes.
        ("8127844 kB", 8127844 * 1024, Unit.BYTES),
        ("3 usec", 3e-6, SECONDS),
        ("2.541 ms", 2.541e-3, SECONDS),
    ],
)
def test_tools(text, value, unit):
    found = parse_quantity(text)
    assert found.value == pytest.approx(value)
    assert found.unit is unit


@pytest.mark.parametrize("unit", ["Mbps", "furlongs", "mB/sec", "ns/MB"])
def test_an_unknown_spelling_is_an_error_not_a_guess(unit):
    with pytest.raises(UnknownUnitError, match="unknown unit"):
        to_base(1, unit)


#: A comma of thousands where it parts decimals would make fifteen of one and a half.
COMMAS = ["1,5 ms", "1,50 ms", "12,34,567", "1,2345 ms", ",500 s", "1_0 ms", "٣ ms"]


@pytest.mark.parametrize("text", ["", "MB/sec", "n/a ms", "- s", *COMMAS])
def test_what_is_not_a_number_is_an_error(text):
    with pytest.raises(ValueError, match="could not convert"):
        parse_quantity(text)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_nothing_infinite_passes(value):
    with pytest.raises(ValueError, match="finite"):
        to_base(value, "s")
    with pytest.raises(ValueError, match="finite"):
        format_quantity(value, SECONDS)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (2.648e9, BITS, "2.65 Gbit/s"),
        (1e6, BITS, "1.00 Mbit/s"),
        (999.6e3, BITS, "1.00 Mbit/s"),
        (999.4e3, BITS, "999 kbit/s"),
        (0, BITS, "0 bit/s"),
        (0.5, BITS, "0.500 bit/s"),
        (-2.5e9, BITS, "-2.50 Gbit/s"),
        (3.3e-5, SECONDS, "33.0 µs"),
        (2.541e-3, SECONDS, "2.54 ms"),
        (0.99996, SECONDS, "1.00 s"),
        (795, SECONDS, "795 s"),
        (18000, SECONDS, "18,000 s"),
        (4589.65, PER_SECOND, "4.59 k/s"),
        (12.3, PER_SECOND, "12.3 /s"),
        (0.0813, Unit.RATIO, "8.13 %"),
        (-0.002, Unit.RATIO, "-0.200 %"),
        (0, Unit.RATIO, "0 %"),
        (30000, Unit.COUNT, "30,000"),
        (2.5, Unit.COUNT, "2.50"),
        (65536, Unit.BYTES, "65.5 KB"),
        (451e-12, Unit.SECONDS_PER_BYTE, "451 ms/GB"),
        (2.05e-9, Unit.SECONDS_PER_BYTE, "2.05 s/GB"),
        (1.25e-8, Unit.PER_BYTE, "12.5 /GB"),
        (None, SECONDS, "–"),
    ],
)
def test_people(value, unit, text):
    assert format_quantity(value, unit) == text


@given(st.floats(1e-9, 1e14), st.sampled_from(list(Unit)), st.booleans())
def test_what_is_written_reads_back_to_three_digits(value, unit, negative):
    value = -value if negative else value
    back = parse_quantity(format_quantity(value, unit))
    assert back.unit is unit
    assert back.value == pytest.approx(value, rel=0.0051)
