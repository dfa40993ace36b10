"""All bad kubeconfigs by name."""

from collections.abc import Callable

from . import (
    kubeconfigs_elsewhere,
    kubeconfigs_forged,
    kubeconfigs_hostile,
    kubeconfigs_malformed,
    kubeconfigs_unreadable,
    kubeconfigs_without_credentials,
)

Case = tuple[str, str, Callable[[], bytes]]

_LISTS = (
    kubeconfigs_hostile,
    kubeconfigs_without_credentials,
    kubeconfigs_malformed,
    kubeconfigs_elsewhere,
    kubeconfigs_unreadable,
    kubeconfigs_forged,
)
CASES: dict[str, Case] = {name: case for one in _LISTS for name, case in one.CASES.items()}
