import type { AxisValue, Point, Schemas } from "~/api/types";
import type { OverlayRequest } from "~/charts/chart_overlay";
import { keyOf } from "~/charts/layout/panels";

type Document = Pick<Schemas["ReferenceDocument"], "tables">;
/** The axes of what is charted, with all their values. */
export type ChartedAxes = Readonly<Record<string, readonly AxisValue[]>>;

/** One published figure of a metric of Podmeter's, in the metric's base unit. */
export interface PublishedFigure {
  metric: string;
  unit: string;
  value: number;
  point: Point;
  doubtful: boolean;
}

/** A published line over numbers; what its points have in common tells it from the others. */
export interface PublishedCurve {
  key: string;
  rest: Point;
  points: { x: number; value: number }[];
}

/** The figures that can be drawn; tables that say again what others say are left out. */
export function figuresOf({ tables }: Document): PublishedFigure[] {
  return tables
    .filter(({ restates }) => !restates)
    .flatMap(({ rows }) => rows.flatMap(({ cells }) => cells))
    .flatMap(({ metric, unit, value, points, doubts }) =>
      metric == null || unit == null || value == null
        ? []
        : points.map((point) => ({ metric, unit, value, point, doubtful: doubts.length > 0 })),
    );
}

/**
 * The axes on which all figures have one value and all charted cases another. They are matched all
 * the same, as the server pairs the sides of a comparison (`services/comparisons/pairing.py`).
 */
function differingAxes(figures: readonly PublishedFigure[], axes: ChartedAxes): Set<string> {
  const [first] = figures;
  const lone = Object.entries(first?.point ?? {}).filter(
    ([axis, value]) =>
      axes[axis]?.length === 1 &&
      axes[axis][0] !== value &&
      figures.every(({ point }) => point[axis] === value),
  );
  return new Set(lone.map(([axis]) => axis));
}

/**
 * Those that belong into a chart: of its metric, in its unit, at a value of each axis that both
 * have, numbers along x and `differingAxes` apart, and in its panel.
 */
export function figuresFor(
  figures: readonly PublishedFigure[],
  axes: ChartedAxes,
  { y, panel, layout }: OverlayRequest,
): PublishedFigure[] {
  const differing = differingAxes(figures, axes);
  return figures.filter(
    ({ metric, unit, point }) =>
      metric === y.metric &&
      unit === y.unit &&
      Object.entries(point).every(
        ([axis, value]) =>
          (layout.numeric && axis === layout.x) ||
          differing.has(axis) ||
          (axes[axis]?.includes(value) ?? true),
      ) &&
      keyOf(point, layout.facets) === panel,
  );
}

/** Whether any figure is of cases like those that are charted, whatever its metric and numbers. */
export function fitsAnywhere(reference: Document, axes: ChartedAxes): boolean {
  const figures = figuresOf(reference);
  const differing = differingAxes(figures, axes);
  return figures.some(({ point }) =>
    Object.entries(point).every(
      ([axis, value]) =>
        typeof value === "number" || differing.has(axis) || (axes[axis]?.includes(value) ?? true),
    ),
  );
}

/** Lines over the layout's numbers, each of the points that agree on all else. */
export function curvesOf(
  figures: readonly PublishedFigure[],
  axes: ChartedAxes,
  { x, facets }: OverlayRequest["layout"],
): PublishedCurve[] {
  const found = new Map<string, PublishedCurve>();
  for (const { point, value } of figures) {
    const at = point[x ?? ""];
    if (typeof at !== "number") continue;
    const rest = restOf(point, axes, [x ?? "", ...facets]);
    const key = keyOf(rest, Object.keys(rest).toSorted());
    const curve = found.get(key) ?? { key, rest, points: [] };
    curve.points.push({ x: at, value });
    found.set(key, curve);
  }
  return [...found.values()].map((curve) => ({
    ...curve,
    points: curve.points.toSorted((one, other) => one.x - other.x),
  }));
}

/** The parts of a point to show: not what the chart already shows, nor what all points share. */
export function restOf(point: Point, axes: ChartedAxes, said: readonly string[]): Point {
  return Object.fromEntries(
    Object.entries(point).filter(
      ([axis, value]) =>
        !said.includes(axis) && !(axes[axis]?.length === 1 && axes[axis].includes(value)),
    ),
  );
}
