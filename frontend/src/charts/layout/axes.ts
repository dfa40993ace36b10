import type { AxisValue, Point, Schemas } from "~/api/types";

export type AxisFacts = Schemas["AxisFacts"];

/** An axis on which points differ: its values in order, and what it is in a chart. */
export interface Axis extends AxisFacts {
  /** A point may lack the axis. */
  values: readonly (AxisValue | undefined)[];
}

export type Axes = ReadonlyMap<string, Axis>;

/** What a document says of its axes; stored before documents did, nothing. */
export type Facts = readonly AxisFacts[];

/**
 * What an axis with these values is. One that a document does not say it of is judged by what is
 * seen of it: where no case is on it, it is that of the clusters themselves.
 */
export function factsOf(facts: Facts, name: string, values: Axis["values"]): AxisFacts {
  return (
    facts.find((one) => one.name === name) ?? {
      name,
      scope: values.length === 0 ? "cluster" : "case",
      role: isNumeric(values) ? "curve" : "series",
    }
  );
}

/** The axes in the order in which a reader thinks of them: what changes the whole cluster first. */
export function inReadingOrder(axes: readonly string[], facts: Facts): string[] {
  const whole = (axis: string) => facts.some((one) => one.name === axis && isWhole(one));
  return [...axes.filter(whole), ...axes.filter((axis) => !whole(axis))];
}

/** Varying axes in `order`, then as they are met; numbers ascend. */
export function varyingAxes(
  points: readonly Point[],
  facts: Facts,
  order: readonly string[] = [],
): Axes {
  const names = new Set([...order, ...points.flatMap((point) => Object.keys(point))]);
  const found = new Map<string, Axis>();
  for (const name of names) {
    const met = [...new Set(points.map((point) => point[name]))];
    if (met.length < 2) continue;
    const values = isNumeric(met) ? met.toSorted((one, other) => one - other) : met;
    found.set(name, { ...factsOf(facts, name, values), values });
  }
  return found;
}

/** Whether a change of the axis is one of the whole cluster, which is what a reader compares. */
export function isWhole({ scope }: AxisFacts): boolean {
  return scope !== "case";
}

export function isNumeric(values: readonly unknown[]): values is number[] {
  return values.length > 0 && values.every((value) => typeof value === "number");
}
