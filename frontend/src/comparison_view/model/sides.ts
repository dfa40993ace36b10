import type { AxisValue, Comparison, Point, Schemas } from "~/api/types";
import { factsOf } from "~/charts/layout/axes";
import { bracketed, labelled, listed } from "~/i18n/punctuation";
import { sideName } from "~/ui/comparison_text";
import { comparedAxes } from "./compared_cases";

type ComparedRun = Schemas["ComparedRun"];

/** A side's names: `short` tells it from the others, `full` says what it is. */
export interface Side {
  short: string;
  full: string;
  run: ComparedRun;
  /** Its value on the compared axis that the sides differ on; undefined where none tells. */
  hued?: { axis: string; value: AxisValue };
}

export interface Sides {
  baseline: Side;
  contenders: Side[];
  /** The baseline first. */
  all: Side[];
}

export interface SideWords {
  point: (point: Point) => string;
  value: (axis: string, value: AxisValue) => string;
  moment: (at: string) => string;
}

/** Sides by the values they are compared on, or by their runs where those do not differ. */
export function sidesOf(comparison: Comparison, words: SideWords): Sides {
  const axes = comparedAxes(comparison);
  const runs = [comparison.baseline, ...comparison.contenders.map((one) => one.side)].map(
    (run) => ({ ...run, name: sideName(run) }),
  );
  const points = runs.map((_, index) => pointOf(comparison, index));
  const valueOn = (axis: string, run: ComparedRun, point: Point | undefined) => {
    const value = point?.[axis];
    if (value !== undefined) return words.value(axis, value);
    const values = points.flatMap((one) => one?.[axis] ?? []);
    const { scope } = factsOf(comparison.axis_facts ?? [], axis, values);
    return scope === "cluster" ? listed(run.clusters) : "";
  };
  const full = runs.map((run, index) => {
    const part = words.point(run.case_id === null ? run.where : (points[index] ?? run.where));
    return part === "" ? run.name : labelled(run.name, part);
  });
  const byValues = () =>
    runs.map((run, index) =>
      axes
        .map((axis) => valueOn(axis, run, points[index]))
        .filter((text) => text !== "")
        .join(" · "),
    );
  const ways = [
    // What was published is always called so, which its name says.
    comparison.baseline.reference_id == null ? byValues : () => runs.map(({ name }) => name),
    () => full,
    () =>
      full.map((text, index) => {
        // What was published has no moment of its own.
        const at = runs[index]?.created_at;
        return at == null ? text : bracketed(text, words.moment(at));
      }),
    () => full.map((text, index) => `${text} #${index + 1}`),
  ];
  const differing =
    axes.find((axis) => new Set(points.map((point) => point?.[axis])).size === points.length) ?? "";
  const short = ways.map((way) => way()).find(tellApart) ?? full;
  const all = runs.map((run, index) => {
    const [long, brief] = [full[index] ?? run.name, short[index] ?? run.name];
    const value = points[index]?.[differing];
    return {
      run,
      short: brief,
      full: brief.startsWith(long) ? brief : long,
      ...(value !== undefined && { hued: { axis: differing, value } }),
    };
  });
  const [baseline, ...contenders] = all as [Side, ...Side[]];
  return { baseline, contenders, all };
}

/** Where a side's cases lie; they agree on the compared axes. */
function pointOf(comparison: Comparison, index: number): Point | undefined {
  if (index > 0) return comparison.contenders[index - 1]?.pairs[0]?.contender.point;
  return comparison.contenders.flatMap((one) => one.pairs)[0]?.baseline.point;
}

function tellApart(texts: string[]): boolean {
  return texts.every((text) => text !== "") && new Set(texts).size === texts.length;
}
