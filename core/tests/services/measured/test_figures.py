from podmeter.services.measured.figures import Figure
from podmeter.services.measured.words import change, percent, quantity, share


def test_words() -> None:
    assert percent(-0.123) == "−12.3 %"
    assert percent(-0.0001) == "0.0 %"
    assert change(Figure(0.9, 0.85, 0.95, 0.96)) == "−10.0 % [−15.0 %, −5.0 %]"
    assert change(Figure(0.9)) == "−10.0 % (no interval)"
    assert change(None) == "–"
    assert share(Figure(-0.02, -0.05, 0.01, 0.96)) == "−2.0 % [−5.0 %, 1.0 %]"
    assert quantity(Figure(2.65e9, 2.6e9, 2.7e9, 0.95), "bit/s") == (
        "2.65 Gbit/s [2.60 Gbit/s, 2.70 Gbit/s]"
    )
