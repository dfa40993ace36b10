import type { AxisValue, Point } from "~/api/types";
import { hueOf } from "../hues";
import type { Hued } from "../palette";
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

/** The hue of a value on an axis, of which the chart has the values `met`. */
export type HueOf = typeof hueOf;

/**
 * The charts that a layout makes of entries: curves where x is numeric, else grouped bars. Of
 * entries that are `parts` of a whole each group is one such whole. What is drawn has the hue of its
 * value on the first axis that tells it apart; those that share it differ by their shade.
 */
export function panelsOf(
  entries: readonly Entry[],
  axes: Axes,
  layout: Layout,
  name: NameValue,
  parts: readonly string[] = [],
  hue: HueOf = hueOf,
): Panel[] {
  const stacked = parts.length > 0;
  const x = layout.x === null ? [] : [layout.x];
  const ranks = new Map([...axes.values()].map(({ name, values }) => [name, rankOf(values)]));
  // Where nothing tells bars apart but where they stand, they have the hue of that.
  const coloured = layout.series.length > 0 || layout.numeric ? layout.series : x;
  const looks = looksOf(entries, coloured, axes, hue);
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
          curveOf(one.key, one.title, one.members, layout, looks),
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
                barOf(one.key, one.title, one.members, looks),
              ),
        })),
  }));
}

function curveOf(
  key: string,
  label: string,
  members: readonly Entry[],
  layout: Layout,
  looks: Looks,
): Curve {
  const points = members.map(({ point, figure, n, trials, state, note }) => ({
    x: Number(point[layout.x ?? ""]),
    figure,
    n,
    trials,
    state,
    note,
  }));
  const sorted = points.toSorted((one, other) => one.x - other.x);
  return { key, label, points: sorted, ...looks(members[0]) };
}

function barOf(key: string, label: string, [first]: readonly Entry[], looks: Looks) {
  const { figure, difference, clear, n, trials, state, note } = first as Entry;
  return { key, label, figure, difference, clear, n, trials, state, note, ...looks(first) };
}

/** How an entry looks. */
type Looks = (entry: Entry | undefined) => Hued;

/** The first axis of the series gives the hue, the values on all others the shade. */
function looksOf(
  entries: readonly Entry[],
  [first, ...others]: readonly string[],
  axes: Axes,
  hue: HueOf,
): Looks {
  if (first === undefined) return () => ({ hue: 0, shade: 0 });
  const met = axes.get(first)?.values ?? [];
  const rest = [...new Set(entries.map(({ point }) => keyOf(point, others)))];
  return (entry) => ({
    hue: hue(first, entry?.point[first], met),
    shade: entry === undefined ? 0 : rest.indexOf(keyOf(entry.point, others)),
  });
}

function partsOf(members: readonly Entry[], parts: readonly string[], name: NameValue) {
  const looks: Looks = (entry) => ({
    hue: parts.indexOf(String(entry?.point[SUBJECT])),
    shade: 0,
  });
  return parts.flatMap((part) =>
    members
      .filter(({ point }) => point[SUBJECT] === part)
      .map((member) => barOf(part, name(SUBJECT, part), [member], looks)),
  );
}

/** The panel that shows a case, of which not all axes need be known; else the first. */
export function panelAbout(
  panels: readonly Panel[],
  facets: readonly string[],
  about: Point | "first",
): Panel[] {
  const known = about === "first" ? [] : facets.filter((axis) => about[axis] !== undefined);
  const parts = about === "first" ? [] : known.map((axis) => ` ${keyOf(about, [axis])} `);
  const shows = ({ key }: Panel) => parts.every((part) => ` ${key} `.includes(part));
  const found = panels.find(shows) ?? panels[0];
  return found === undefined ? [] : [found];
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
