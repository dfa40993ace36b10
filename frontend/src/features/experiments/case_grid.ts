import type { AxisValue, Point, Schemas } from "~/api/types";

/** The plan's cases as a table: one varying axis across, the combinations of the others down. */
export interface CaseGrid {
  /** Axes on which all cases lie at one point. */
  fixed: Point;
  /** Axes that some cases do not lie on, and the others at one point: no row of their own. */
  partly: Point;
  /** null where no axis varies in every case: one column then. */
  columnAxis: string | null;
  columns: AxisValue[];
  rowAxes: string[];
  rows: GridRow[];
}

export interface GridRow {
  key: string;
  /** By axis; absent where the cases of the row do not lie on it. */
  point: Point;
  /** Whether there is a case, by column. */
  cells: boolean[];
}

type PlannedCase = Schemas["PlannedCase"];

/** `axisOrder` is the kind's; axes it does not name come last. */
export function caseGrid(cases: readonly PlannedCase[], axisOrder: readonly string[]): CaseGrid {
  const values = valuesByAxis(cases, axisOrder);
  const everywhere = (axis: string) => cases.every(({ point }) => axis in point);
  const axes = [...values.keys()];
  const single = axes.filter((axis) => values.get(axis)?.length === 1);
  const others = axes.filter((axis) => !single.includes(axis));
  const partly = tellApart(cases, others) ? single.filter((axis) => !everywhere(axis)) : [];
  const fixed = single.filter(everywhere);
  const varying = axes.filter((axis) => !fixed.includes(axis) && !partly.includes(axis));
  const columnAxis = widest(varying.filter(everywhere), values);
  const columns = columnAxis === null ? [] : (values.get(columnAxis) ?? []);
  const rowAxes = varying.filter((axis) => axis !== columnAxis);
  const rows = new Map<string, GridRow>();
  for (const { point } of cases) {
    const own = pick(point, rowAxes);
    const key = JSON.stringify(rowAxes.map((axis) => own[axis] ?? null));
    const row = rows.get(key) ?? { key, point: own, cells: columns.map(() => false) };
    if (columnAxis === null) row.cells = [true];
    else row.cells[columns.indexOf(point[columnAxis] as AxisValue)] = true;
    rows.set(key, row);
  }
  return {
    fixed: firstOf(fixed, values),
    partly: firstOf(partly, values),
    columnAxis,
    columns,
    rowAxes,
    rows: [...rows.values()],
  };
}

/** Whether no two cases are at the same point of these axes. */
function tellApart(cases: readonly PlannedCase[], axes: readonly string[]): boolean {
  const keys = cases.map(({ point }) => JSON.stringify(axes.map((axis) => point[axis] ?? null)));
  return new Set(keys).size === cases.length;
}

function firstOf(axes: readonly string[], values: Map<string, AxisValue[]>): Point {
  return Object.fromEntries(axes.map((axis) => [axis, values.get(axis)?.[0] as AxisValue]));
}

function valuesByAxis(
  cases: readonly PlannedCase[],
  axisOrder: readonly string[],
): Map<string, AxisValue[]> {
  const found = new Map<string, AxisValue[]>();
  const names = new Set(cases.flatMap(({ point }) => Object.keys(point)));
  const ordered = [...axisOrder.filter((axis) => names.has(axis)), ...names];
  for (const axis of new Set(ordered)) {
    const values = cases.flatMap(({ point }) => (axis in point ? [point[axis] as AxisValue] : []));
    found.set(axis, [...new Set(values)]);
  }
  return found;
}

/** So many words are read across at most: of more, such as pairs of nodes, each is a row. */
const MOST_WORDS = 20;

/**
 * Numbers read best across; else the axis with the most values, the later one of two, unless these
 * are too many.
 */
function widest(axes: readonly string[], values: Map<string, AxisValue[]>): string | null {
  const isNumeric = (axis: string) =>
    (values.get(axis) ?? []).every((value) => typeof value === "number");
  const count = (axis: string) => values.get(axis)?.length ?? 0;
  const size = (axis: string) => count(axis) + (isNumeric(axis) ? 1000 : 0);
  const fitting = axes.filter((axis) => isNumeric(axis) || count(axis) <= MOST_WORDS);
  return fitting.reduce<string | null>(
    (best, axis) => (best === null || size(axis) >= size(best) ? axis : best),
    null,
  );
}

function pick(point: Point, axes: readonly string[]): Point {
  return Object.fromEntries(
    axes.filter((axis) => axis in point).map((axis) => [axis, point[axis] as AxisValue]),
  );
}
