import type { AxisValue } from "~/api/types";
import type { Block, Case } from "~/queries/runs";
import { inModes, isSetUp } from "./progress";

/** The cases that share one set of modes, with the block of each round that measures them. */
export interface Section {
  key: string;
  modes: Block["modes"];
  blocks: Block[];
  /** What setting the modes up took; null where that is not measured. */
  setUp: Case | null;
  cases: Case[];
}

/** A section's cases as a table; an axis along the columns where that leaves few holes. */
export interface CaseTable {
  /** What all cases have in common. */
  fixed: [axis: string, value: AxisValue][];
  rowAxes: string[];
  column: string | null;
  /** Values of `column`, undefined for cases that do not lie on it; one undefined without it. */
  columns: (AxisValue | undefined)[];
  rows: { key: string; point: Case["point"]; cells: (Case | null)[] }[];
}

const MOST_COLUMNS = 6;
const LEAST_FILLED = 0.6;

/** Sections in the order in which their first block runs. */
export function sections(blocks: readonly Block[], cases: readonly Case[]): Section[] {
  const found = new Map<string, Section>();
  for (const block of [...blocks].sort((a, b) => a.position - b.position)) {
    const key = keyOf(block.modes, Object.keys(block.modes).sort());
    const section = found.get(key);
    if (section) section.blocks.push(block);
    else {
      const inside = cases.filter((one) => inModes(one.point, block.modes));
      found.set(key, {
        key,
        modes: block.modes,
        blocks: [block],
        setUp: inside.find((one) => isSetUp(one.point, block.modes)) ?? null,
        cases: inside.filter((one) => !isSetUp(one.point, block.modes)),
      });
    }
  }
  return [...found.values()];
}

/** Arranges cases; `order` is that of the kind's axes, `apart` are those said elsewhere. */
export function caseTable(
  cases: readonly Case[],
  order: readonly string[],
  apart: readonly string[],
): CaseTable {
  const axes = axesOf(cases, order).filter((axis) => !apart.includes(axis));
  const values = new Map(axes.map((axis) => [axis, valuesOf(cases, axis)]));
  const varying = axes.filter((axis) => (values.get(axis)?.length ?? 0) > 1);
  const column = columnOf(cases, varying, values);
  const rowAxes = varying.filter((axis) => axis !== column);
  const columns = (column === null ? undefined : values.get(column)) ?? [undefined];

  const rows = new Map<string, CaseTable["rows"][number]>();
  for (const one of cases) {
    const key = keyOf(one.point, rowAxes);
    const row = rows.get(key) ?? { key, point: one.point, cells: columns.map(() => null) };
    row.cells[column === null ? 0 : columns.indexOf(one.point[column])] = one;
    rows.set(key, row);
  }
  const fixed = axes
    .filter((axis) => !varying.includes(axis))
    .map((axis): [string, AxisValue] => [axis, values.get(axis)?.[0] as AxisValue]);
  return { fixed, rowAxes, column, columns, rows: [...rows.values()] };
}

/** The axis that leaves the fewest holes as columns; of several the fastest changing. */
function columnOf(
  cases: readonly Case[],
  varying: readonly string[],
  values: ReadonlyMap<string, readonly unknown[]>,
): string | null {
  if (varying.length < 2) return null;
  let best: string | null = null;
  let bestFilled = LEAST_FILLED;
  for (const axis of varying) {
    const width = values.get(axis)?.length ?? 0;
    if (width > MOST_COLUMNS) continue;
    const rest = varying.filter((other) => other !== axis);
    const height = new Set(cases.map((one) => keyOf(one.point, rest))).size;
    const filled = cases.length / (width * height);
    if (filled >= bestFilled) [best, bestFilled] = [axis, filled];
  }
  return best;
}

function axesOf(cases: readonly Case[], order: readonly string[]): string[] {
  const present = new Set(cases.flatMap((one) => Object.keys(one.point)));
  const known = order.filter((axis) => present.has(axis));
  return [...known, ...[...present].filter((axis) => !known.includes(axis))];
}

/** In the order of the matrix; undefined is a value too, of cases that do not lie on the axis. */
function valuesOf(cases: readonly Case[], axis: string): (AxisValue | undefined)[] {
  const inOrder = [...cases].sort((a, b) => a.position - b.position);
  return [...new Set(inOrder.map((one) => one.point[axis]))];
}

function keyOf(point: Case["point"], axes: readonly string[]): string {
  return JSON.stringify(axes.map((axis) => [axis, point[axis] ?? null]));
}
