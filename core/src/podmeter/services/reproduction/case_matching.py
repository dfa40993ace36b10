"""Which of our cases to compare a published figure with."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from podmeter.domain.axes import AxisValue
from podmeter.domain.modes import ENCAPSULATION, KUBE_PROXY_MODE, Encapsulation, KubeProxyMode
from podmeter.kinds.registry import stand_ins
from podmeter.references.cells import Cell
from podmeter.results.projected import Key, Projected
from podmeter.services.reproduction.document import OurVerdict, StandIn, WhyNot
from podmeter.services.run_results.effect_rows import Effect
from podmeter.services.run_results.environments import ReadFingerprints
from podmeter.services.run_results.figures import Figure, figure, projected_figure
from podmeter.services.run_results.runs import MeasuredCase, MeasuredRun, MeasuredSample
from podmeter.statistics import median

_Point = Mapping[str, AxisValue]
_Modes = Mapping[str, tuple[str, ...]]
#: Where a fingerprint tells a mode that stood.
_SEEN = {ENCAPSULATION: ("cni", "encapsulation"), KUBE_PROXY_MODE: ("kube_proxy", "mode")}
#: What is measured in the place of what a cluster does not have: the mode that sends packets the
#: same way, or, of kube-proxy, the other one that looks Services up in a map; a client elsewhere.
_IN_PLACE: dict[tuple[str, str], str] = {
    (ENCAPSULATION, Encapsulation.VXLAN_CROSS_SUBNET): Encapsulation.HOST_GW,
    (ENCAPSULATION, Encapsulation.NATIVE): Encapsulation.HOST_GW,
    (KUBE_PROXY_MODE, KubeProxyMode.IPVS): KubeProxyMode.NFTABLES,
    **stand_ins(),
}


@dataclass(frozen=True)
class MatchedCase:
    """A metric of a case of ours, in the place of a published figure."""

    run: MeasuredRun
    case: MeasuredCase
    sample: MeasuredSample

    def key(self, unit: str | None = None, against: "MatchedCase | None" = None) -> Key:
        """What rows of it are of; in the metric's unit where no other is given."""
        metric = self.sample.metric
        return Key(
            metric.name,
            self.sample.subject,
            unit or metric.unit.value,
            metric.direction.value,
            dict(self.case.point),
            None if against is None else dict(against.case.point),
        )

    def shown(self) -> Projected | None:
        """Its median as a row; None where nothing was counted."""
        centre = figure(median(self.sample.sample))
        if centre is None:
            return None
        case: dict[str, JsonValue] = {"run_id": str(self.run.run.id), "case_id": self.case.id}
        return projected_figure(self.key(), centre, self.sample.sample.n, None, "median", **case)


def result(
    key: Key,
    value: Figure | None,
    n: int,
    verdict: OurVerdict,
    why: WhyNot | None,
    places: tuple[str, str],
    effect: Effect | None = None,
) -> Projected:
    """What a claim computes of our figures, as a row."""
    of, against = places
    return projected_figure(
        key,
        value,
        n,
        None if effect is None else effect.verdict,
        verdict.value,
        of=of,
        against=against,
        why_not=None if why is None else why.value,
    )


class CaseMatches:
    """Our figures of an article, by what its cells were measured at."""

    def __init__(
        self,
        runs: Sequence[MeasuredRun],
        cells: Iterable[Cell],
        read_fingerprints: ReadFingerprints,
    ) -> None:
        self.runs = runs
        self._modes = {one.run.id: _modes(one, read_fingerprints) for one in runs}
        published = [point for cell in cells for point in cell.points]
        # What any of the runs measured itself no other one stands in for.
        own = {
            (axis, str(at))
            for one in runs
            for axis, values in {**one.spec.matrix, **self._modes[one.run.id]}.items()
            for at in values
        }
        self._stand_ins = {
            one.run.id: dict(_stand_ins(one, self._modes[one.run.id], published, own))
            for one in runs
        }

    @property
    def stand_ins(self) -> list[StandIn]:
        """Every one that was used, each once."""
        used = {
            StandIn(axis, mode, ours): None
            for of_run in self._stand_ins.values()
            for (axis, mode), ours in of_run.items()
        }
        return list(used)

    def of(self, cell: Cell) -> list[MatchedCase]:
        """Our figures in its place; several where it does not say all that ours lie on."""
        return [one for point in cell.points for one in self._at(cell, point)]

    def _at(self, cell: Cell, point: _Point) -> Iterator[MatchedCase]:
        for run in self.runs:
            modes, stand_ins = self._modes[run.run.id], self._stand_ins[run.run.id]
            wanted = {axis: stand_ins.get((axis, str(at)), at) for axis, at in point.items()}
            for case in run.cases:
                if all(_at(case, axis, modes) == at for axis, at in wanted.items()):
                    yield from _samples(run, case, cell)


def nearest(ours: Sequence[MatchedCase], other: MatchedCase) -> MatchedCase:
    """The candidate with the same values on most axes, preferably of the same run."""
    return max(
        ours,
        key=lambda one: (
            one.run.run.id == other.run.run.id,
            sum(one.case.point.get(axis) == at for axis, at in other.case.point.items()),
        ),
    )


def _samples(run: MeasuredRun, case: MeasuredCase, cell: Cell) -> Iterator[MatchedCase]:
    for sample in run.samples(case.id):
        metric = sample.metric
        same = (metric.name, metric.unit) == (cell.metric, cell.figure.unit)
        # A source does not distinguish nodes by role, unless its data file does.
        if same and sample.subject == cell.subject and sample.sample.n:
            yield MatchedCase(run, case, sample)


def _at(case: MeasuredCase, axis: str, modes: _Modes) -> AxisValue | None:
    """Where a case lies; on a mode that its run did not switch, where the cluster stood."""
    if axis in case.point:
        return case.point[axis]
    current = modes.get(axis, ())
    return current[0] if len(current) == 1 else None


def _modes(run: MeasuredRun, read_fingerprints: ReadFingerprints) -> _Modes:
    """The modes that a run was measured in: those that it switched, and those that stood."""
    ids = {id_ for case in run.cases for id_ in case.fingerprints if id_ is not None}
    contents = read_fingerprints(ids).values() if ids else ()
    modes: dict[str, tuple[str, ...]] = {}
    for axis, (part, field) in _SEEN.items():
        switched = run.spec.matrix.get(axis)
        if switched is not None:
            modes[axis] = tuple(map(str, switched))
            continue
        seen = {
            section.get(field) for one in contents if isinstance(section := one.get(part), Mapping)
        }
        modes[axis] = tuple(one for one in seen if isinstance(one, str))
    return modes


def _stand_ins(
    run: MeasuredRun,
    modes: _Modes,
    published: Iterable[_Point],
    own: Collection[tuple[str, str]],
) -> Iterator[tuple[tuple[str, str], str]]:
    """Of an article's values that no run has, those that another one of this run stands for."""
    for point in published:
        for axis, at in point.items():
            other = _IN_PLACE.get((axis, str(at)))
            measured = modes.get(axis) or run.spec.matrix.get(axis, ())
            if other is not None and other in measured and (axis, str(at)) not in own:
                yield (axis, str(at)), other
