from podmeter.services.measured.figures import Figure
from podmeter.services.measured.words import change, quantity, share


def test_words() -> None:
    assert change(Figure(0.9, 0.85, 0.95, 0.96)) == "−10 % [−15, −5]"
    assert change(Figure(1.000705, 0.988, 1.013, 0.96)) == "+0.1 % [−1.2, +1.3]"
    assert change(Figure(0.9)) == "−10 % (no interval)"
    assert change(Figure(1.0, 1.0, 1.0, 0.96)) == "0 % [0, 0]"
    assert change(None) == "–"
    assert share(Figure(-0.02, -0.05, 0.01, 0.96)) == "−2.0 % [−5.0, 1.0]"
    assert quantity(Figure(2.65e9, 2.6e9, 2.7e9, 0.95), "bit/s") == "2.65 Gbit/s [2.60, 2.70]"
