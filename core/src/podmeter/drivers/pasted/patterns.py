"""Many forms of lines as one: most lines are of none, and each try costs."""

from __future__ import annotations

import re


def any_of(*forms: re.Pattern[str]) -> re.Pattern[str]:
    """A form that matches what any of the forms matches, which have no references to groups."""
    plain = (re.sub(r"\(\?P<\w+>", "(?:", form.pattern) for form in forms)
    return re.compile("|".join(f"(?:{one})" for one in plain))
