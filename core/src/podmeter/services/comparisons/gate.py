"""Whether two cases may be compared: their environments, their clusters, their parameters."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

from podmeter.domain.axes import AxisDefinition
from podmeter.domain.comparability import Comparability, Difference, judge
from podmeter.domain.fingerprint import FINGERPRINT, Fingerprint, Placement
from podmeter.domain.modes import CLUSTER
from podmeter.kinds.nodes import placing_parameters
from podmeter.kinds.registry import described
from podmeter.services.comparisons.document import FieldDifference
from podmeter.services.run_results.runs import MeasuredCase, MeasuredRun

_WORST_LAST = (Comparability.COMPARABLE, Comparability.CONFOUNDED, Comparability.REFUSED)
#: Named instead of every field, where an environment was not recorded.
UNKNOWN_FIELD = "fingerprint"
#: What its gate says of an environment: a user gave it, Podmeter saw and recorded it, nobody knows.
GIVEN, RECORDED, UNKNOWN = "given", "recorded", "unknown"

_Ids = frozenset[uuid.UUID | None]
_Place = tuple[tuple[str, str | None], ...] | None


@dataclass
class GateKeeper:
    """Judges pairs; alike pairs are judged once.

    `axes` are those compared, `known_axes` those of the kinds by name, `contents` the fingerprints
    that differ. `given` are the sides, baseline first, whose environment a user gave.
    """

    axes: frozenset[str]
    known_axes: Mapping[str, AxisDefinition]
    contents: Mapping[uuid.UUID, Mapping[str, object]]
    parameters: tuple[Difference, ...]
    given: tuple[bool, bool] = (False, False)
    _known: dict[object, tuple[Comparability, tuple[Difference, ...]]] = field(default_factory=dict)

    def judge(
        self, baseline: MeasuredCase, contender: MeasuredCase
    ) -> tuple[Comparability, tuple[Difference, ...]]:
        """How comparable a pair is, and every field that differs."""
        places = _places(baseline, contender)
        if places[0] == places[1]:
            places = None, None
        clusters = baseline.cluster_uid, contender.cluster_uid
        key = (baseline.fingerprints, contender.fingerprints, places, clusters)
        if key not in self._known:
            self._known[key] = self._judged(baseline, contender, *places)
        return self._known[key]

    def _judged(
        self, baseline: MeasuredCase, contender: MeasuredCase, left: _Place, right: _Place
    ) -> tuple[Comparability, tuple[Difference, ...]]:
        axes = self.axes
        if baseline.cluster_uid != contender.cluster_uid:
            axes |= {CLUSTER}
        differences: dict[Difference, None] = {}
        verdict = Comparability.COMPARABLE
        for one in sorted(baseline.fingerprints, key=str):
            for two in sorted(contender.fingerprints, key=str):
                found = self._pair(one, two, left, right, axes)
                verdict = worst(verdict, found[0])
                differences |= dict.fromkeys(found[1])
        if self.parameters:
            verdict = worst(verdict, Comparability.CONFOUNDED)
            differences |= dict.fromkeys(self.parameters)
        return verdict, tuple(differences)

    def _pair(
        self,
        one: uuid.UUID | None,
        two: uuid.UUID | None,
        left: _Place,
        right: _Place,
        axes: frozenset[str],
    ) -> tuple[Comparability, tuple[Difference, ...]]:
        if one is not None and one == two and left == right:
            return Comparability.COMPARABLE, ()
        mine, theirs = (None if id_ is None else self.contents.get(id_) for id_ in (one, two))
        if mine is None or theirs is None:
            told = [
                GIVEN if given else UNKNOWN if known is None else RECORDED
                for given, known in zip(self.given, (mine, theirs), strict=True)
            ]
            # What a user gives is not refused for not having been seen; that it was not is said.
            seen = any(self.given) and UNKNOWN not in told
            verdict = Comparability.CONFOUNDED if seen else Comparability.REFUSED
            return verdict, (Difference(UNKNOWN_FIELD, told[0], told[1], None),)
        compared = [self.known_axes[name] for name in axes if name in self.known_axes]
        found = judge(_fingerprint(mine, left), _fingerprint(theirs, right), compared)
        return found.comparability, found.differences


def needed_fingerprints(
    pairs: tuple[tuple[MeasuredCase, MeasuredCase], ...],
) -> set[uuid.UUID]:
    """The fingerprints whose contents decide: those of pairs that do not agree in all."""
    found: set[uuid.UUID] = set()
    for one, two in pairs:
        same = one.fingerprints == two.fingerprints and len(one.fingerprints) == 1
        if not same or len(set(_places(one, two))) > 1:
            found |= {id_ for id_ in one.fingerprints | two.fingerprints if id_ is not None}
    return found


def parameter_differences(baseline: MeasuredRun, contender: MeasuredRun) -> tuple[Difference, ...]:
    """The parameters that differ between two runs, as they were frozen into them."""
    if baseline.run.id == contender.run.id:
        return ()
    one, two = baseline.spec, contender.spec
    if one.kind != two.kind:
        # What was imported has an environment for parameters, which is another thing.
        return (Difference("kind", one.kind, two.kind, None),)
    left, right = one.parameters, two.parameters
    kind = described(one.kind)
    placing = placing_parameters(kind.parameters) if kind else ()
    found = [
        Difference(f"parameters.{name}", left.get(name), right.get(name), None)
        for name in sorted(left.keys() | right.keys())
        if name not in placing and left.get(name) != right.get(name)
    ]
    if one.kind_version != two.kind_version:
        found.append(Difference("kind_version", one.kind_version, two.kind_version, None))
    seconds = one.repetition.seconds, two.repetition.seconds
    if kind and kind.timed and seconds[0] != seconds[1]:
        found.append(Difference("repetition.seconds", *seconds, None))
    return tuple(found)


def worst(one: Comparability, two: Comparability) -> Comparability:
    """The stricter of two."""
    return max(one, two, key=_WORST_LAST.index)


def shown(differences: Mapping[Difference, None]) -> list[FieldDifference]:
    """Differences in the document's shape, those that stand against it first."""
    ordered = sorted(differences, key=lambda one: (one.axis is not None, one.field))
    return [FieldDifference(one.field, one.baseline, one.contender, one.axis) for one in ordered]


def _places(one: MeasuredCase, two: MeasuredCase) -> tuple[_Place, _Place]:
    """Both placements; a NIC counts where both were seen, since many a cluster shows none."""
    seen = all(case.placement is not None and case.placement.get("nic") for case in (one, two))
    left, right = (_place(case, with_nic=seen) for case in (one, two))
    return left, right


def _place(case: MeasuredCase, *, with_nic: bool) -> _Place:
    if case.placement is None:
        return None
    return tuple(
        sorted((name, value) for name, value in case.placement.items() if with_nic or name != "nic")
    )


def _fingerprint(content: Mapping[str, object], place: _Place) -> Fingerprint:
    found = FINGERPRINT.read(content)
    placement = None if place is None else Placement.model_validate(dict(place))
    return found.model_copy(update={"placement": placement})
