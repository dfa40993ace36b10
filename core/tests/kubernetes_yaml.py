"""Manifests as the objects in them."""

from functools import cache
from typing import Any

import yaml

Object = dict[str, Any]
# Several times as fast as PyYAML's own parser, where there is libyaml.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@cache
def objects_of(text: str) -> tuple[Object, ...]:
    """The objects of a manifest, which no test may change."""
    return tuple(one for one in yaml.load_all(text, _LOADER) if one)
