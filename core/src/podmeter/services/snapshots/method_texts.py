"""How figures were made, by the version of the method: which texts of the catalog tell it."""

from podmeter.texts import text_of

_VERDICTS = ("corrected", "verdicts")
_NO_FLOOR = ("figures", "same_blocks", "between_modes", "no_floor", "curve", *_VERDICTS)
_FLOOR = ("noise_floor", "curve", *_VERDICTS, "by_metric")
_FAMILIES = ("figures", "by_rounds", "noise_floor", "verdicts", "by_metric")
_SIDES = (*_FAMILIES, "by_rungs", "limited_side", "kept_connections", "no_shared_case")
#: The keys of `method_text`, in their order.
TEXTS: dict[int, tuple[str, ...]] = {
    1: ("figures", "rank_test_alone", "verdicts"),
    2: _NO_FLOOR,
    3: (*_NO_FLOOR, "by_metric"),
    4: ("figures", "same_blocks", "between_modes", *_FLOOR),
    5: ("figures", "same_blocks", "between_rungs", *_FLOOR),
    6: ("figures", "same_blocks", "between_single_trials", *_FLOOR),
    7: _FAMILIES,
    8: (*_FAMILIES, "limited_client"),
    9: (*_FAMILIES, "limited_client", "kept_connections"),
    10: (*_FAMILIES, "limited_client", "kept_connections", "no_shared_case"),
    11: _SIDES,
    12: (*_SIDES, "same_rounds", "same_rungs"),
}


def statistics(version: int) -> str:
    """How figures of a version were made, in the language that is spoken now."""
    return text_of("sign.sentences").join(text_of(f"method_text.{key}") for key in TEXTS[version])
