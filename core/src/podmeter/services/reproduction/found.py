"""Which of our cases a published figure is to be set beside."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from podmeter.domain.axes import AxisValue
from podmeter.domain.modes import ENCAPSULATION, KUBE_PROXY_MODE, Encapsulation, KubeProxyMode
from podmeter.experiments.registry import axes_of
from podmeter.references.cells import Cell
from podmeter.services.measured.figures import figure
from podmeter.services.measured.runs import MeasuredCase, MeasuredRun, MeasuredSample
from podmeter.services.reproduction.document import OurFigure, StandIn
from podmeter.statistics import median

_Point = Mapping[str, AxisValue]
#: What is measured in the place of a mode that a cluster does not have: the one that sends packets
#: the same way, or, of kube-proxy, the other one that looks Services up in a map.
_IN_PLACE: dict[tuple[str, str], str] = {
    (ENCAPSULATION, Encapsulation.VXLAN_CROSS_SUBNET): Encapsulation.HOST_GW,
    (ENCAPSULATION, Encapsulation.NATIVE): Encapsulation.HOST_GW,
    (KUBE_PROXY_MODE, KubeProxyMode.IPVS): KubeProxyMode.NFTABLES,
}


@dataclass(frozen=True)
class Ours:
    """A metric of a case of ours, in the place of a published figure."""

    run: MeasuredRun
    case: MeasuredCase
    sample: MeasuredSample

    def shown(self) -> OurFigure | None:
        """As documents have it; None where nothing was counted."""
        centre = figure(median(self.sample.sample))
        if centre is None:
            return None
        return OurFigure(
            run_id=self.run.run.id,
            case_id=self.case.id,
            point=dict(self.case.point),
            metric=self.sample.metric.name,
            unit=self.sample.metric.unit.value,
            n=self.sample.sample.n,
            median=centre,
        )


class Found:
    """Our figures of an article, by what its cells were measured at."""

    def __init__(self, runs: Sequence[MeasuredRun], cells: Iterable[Cell]) -> None:
        self._runs = runs
        published = [point for cell in cells for point in cell.points]
        self._stand_ins = {one.run.id: dict(_stand_ins(one, published)) for one in runs}

    @property
    def stand_ins(self) -> list[StandIn]:
        """Every one that was used, each once."""
        used = {
            StandIn(axis, mode, ours): None
            for of_run in self._stand_ins.values()
            for (axis, mode), ours in of_run.items()
        }
        return list(used)

    def of(self, cell: Cell) -> list[Ours]:
        """Our figures in its place; several where it does not say all that ours lie on."""
        return [one for point in cell.points for one in self._at(cell, point)]

    def _at(self, cell: Cell, point: _Point) -> Iterator[Ours]:
        for run in self._runs:
            known = {axis.name for axis in axes_of(run.spec.kind)}
            stand_ins = self._stand_ins[run.run.id]
            wanted = {
                axis: stand_ins.get((axis, str(at)), at)
                for axis, at in point.items()
                # A mode that the run did not switch is the one that stands: nobody says which.
                if axis in run.spec.matrix
            }
            if not point.keys() <= known or not _stands(run, point, stand_ins):
                continue
            for case in run.cases:
                if all(case.point.get(axis) == at for axis, at in wanted.items()):
                    yield from _samples(run, case, cell)


def nearest(ours: Sequence[Ours], other: Ours) -> Ours | None:
    """The one that lies where the other does on most axes, of the same run if there is any."""
    return max(
        ours,
        key=lambda one: (
            one.run.run.id == other.run.run.id,
            sum(one.case.point.get(axis) == at for axis, at in other.case.point.items()),
        ),
        default=None,
    )


def _samples(run: MeasuredRun, case: MeasuredCase, cell: Cell) -> Iterator[Ours]:
    for sample in run.samples(case.id):
        metric = sample.metric
        same = (metric.name, metric.unit) == (cell.metric, cell.figure.unit)
        # What a node's role tells apart is not told apart in a source.
        if same and not sample.subject and sample.sample.n:
            yield Ours(run, case, sample)


def _stand_ins(
    run: MeasuredRun, published: Iterable[_Point]
) -> Iterator[tuple[tuple[str, str], str]]:
    """Of an article's modes that the run has not, those that another one of it stands for."""
    for point in published:
        for axis, at in point.items():
            other = _IN_PLACE.get((axis, str(at)))
            measured = run.spec.matrix.get(axis, ())
            if other is not None and other in measured and at not in measured:
                yield (axis, str(at)), other


def _stands(run: MeasuredRun, point: _Point, stand_ins: Mapping[tuple[str, str], str]) -> bool:
    """Whether the modes of the point were the run's; one that it did not switch is not known."""
    return all(
        stand_ins.get((axis, str(at)), at) in run.spec.matrix.get(axis, (at,))
        for axis, at in point.items()
    )
