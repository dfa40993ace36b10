import type { AxisValue, Point } from "~/api/types";
import type { BarGroup, Curve } from "../types";
import type { Axes, Axis } from "./axes";
import { type Entry, SUBJECT } from "./entry";
import type { Layout } from "./layout";

/** One chart: the values of the facets' axes that it is of, and what it draws. */
export interface Panel {
  key: string;
  /** "TCP · 8 streams"; "" where nothing splits. */
  title: string;
  curves: Curve[];
  groups: BarGroup[];
  /** Whether the bars of a group are parts of one whole. */
  stacked: boolean;
}

/** Names a value on an axis, "8 streams"; "" where a point does not have the axis. */
export type NameValue = (axis: string, value: AxisValue | undefined) => string;

/**
 * The charts that a layout makes of entries: curves where x is numeric, else grouped bars. Of
 * entries that are `parts` of a whole each group is one such whole.
 */
export function panelsOf(
  entries: readonly Entry[],
  axes: Axes,
  layout: Layout,
  name: NameValue,
  parts: readonly string[] = [],
): Panel[] {
  const stacked = parts.length > 0;
  const x = layout.x === null ? [] : [layout.x];
  const ranks = new Map([...axes.values()].map(({ name, values }) => [name, rankOf(values)]));
  const groupedBy = (some: readonly Entry[], by: readonly string[]) =>
    grouped(some, by, ranks).map(([key, members]) => ({
      key,
      members,
      title: titleOf(members, by, name),
    }));
  return groupedBy(entries, layout.facets).map(({ key, members, title }) => ({
    key,
    title,
    stacked,
    curves: layout.numeric
      ? groupedBy(members, layout.series).map((one) =>
          curveOf(one.key, one.title, one.members, layout),
        )
      : [],
    groups: layout.numeric
      ? []
      : groupedBy(members, stacked ? [...x, ...layout.series] : x).map((group) => ({
          key: group.key,
          label: group.title,
          bars: stacked
            ? partsOf(group.members, parts, name)
            : groupedBy(group.members, layout.series).map((one) =>
                barOf(one.key, one.title, one.members),
              ),
        })),
  }));
}

function curveOf(key: string, label: string, members: readonly Entry[], layout: Layout): Curve {
  const points = members.map(({ point, figure, n, trials, state, note }) => ({
    x: Number(point[layout.x ?? ""]),
    figure,
    n,
    trials,
    state,
    note,
  }));
  return { key, label, points: points.toSorted((one, other) => one.x - other.x) };
}

function barOf(key: string, label: string, [first]: readonly Entry[]) {
  const { figure, difference, clear, n, trials, state, note } = first as Entry;
  return { key, label, figure, difference, clear, n, trials, state, note };
}

function partsOf(members: readonly Entry[], parts: readonly string[], name: NameValue) {
  return parts.flatMap((part) =>
    members
      .filter(({ point }) => point[SUBJECT] === part)
      .map((member) => barOf(part, name(SUBJECT, part), [member])),
  );
}

/** What a panel, a group or a series is known by: the values of a point on some axes. */
export function keyOf(point: Point, axes: readonly string[]): string {
  return axes.map((axis) => `${axis}=${point[axis] ?? ""}`).join(" ");
}

/** Entries by their values on some axes, in the axes' order. */
function grouped(
  entries: readonly Entry[],
  axes: readonly string[],
  ranks: ReadonlyMap<string, ReadonlyMap<AxisValue | undefined, number>>,
): [string, Entry[]][] {
  const found = new Map<string, Entry[]>();
  for (const entry of entries) {
    const key = keyOf(entry.point, axes);
    const members = found.get(key);
    if (members === undefined) found.set(key, [entry]);
    else members.push(entry);
  }
  const rank = ([entry]: Entry[]) =>
    axes.map((axis) => ranks.get(axis)?.get(entry?.point[axis]) ?? 0);
  return [...found].toSorted(([, one], [, other]) => inOrder(rank(one), rank(other)));
}

function inOrder(one: readonly number[], other: readonly number[]): number {
  const place = one.findIndex((value, index) => value !== other[index]);
  return place < 0 ? 0 : (one[place] ?? 0) - (other[place] ?? 0);
}

const rankOf = (values: Axis["values"]) => new Map(values.map((value, rank) => [value, rank]));

function titleOf([first]: readonly Entry[], axes: readonly string[], name: NameValue): string {
  return axes
    .map((axis) => name(axis, first?.point[axis]))
    .filter((text) => text !== "")
    .join(" · ");
}
