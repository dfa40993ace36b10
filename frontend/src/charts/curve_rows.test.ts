import { describe, expect, it } from "vitest";
import { boundsOf, curveRows, pointsIn } from "./curve_rows";
import type { Curve, CurvePoint, PointState } from "./types";

const measured = (x: number, value: number): CurvePoint => ({
  x,
  figure: { value, low: value - 1, high: value + 2, confidence: 0.95 },
  n: 7,
  state: "measured",
});
const without = (x: number, state: PointState): CurvePoint => ({ x, figure: null, n: 0, state });
const curve = (key: string, ...points: CurvePoint[]): Curve => ({
  key,
  label: key,
  hue: 0,
  shade: 0,
  points,
});

describe("curveRows", () => {
  it("breaks a line where a point has no value", () => {
    const { rows, stretches, marks } = curveRows(
      [curve("a", measured(10, 5), without(100, "failed"), measured(1000, 3), measured(5000, 2))],
      1,
    );
    expect(stretches.map((stretch) => pointsIn(stretch, rows))).toEqual([1, 2]);
    const [first, second] = stretches;
    expect(rows.map((row) => row[first?.value ?? ""])).toEqual([
      5,
      undefined,
      undefined,
      undefined,
    ]);
    expect(rows.map((row) => row[second?.value ?? ""])).toEqual([undefined, undefined, 3, 2]);
    expect(marks).toEqual([{ curve: 0, x: 100, state: "failed", level: 0 }]);
  });

  it("does not break a curve at an x that only another one has", () => {
    const { stretches, rows } = curveRows(
      [curve("a", measured(10, 5), measured(1000, 4)), curve("b", measured(100, 9))],
      1,
    );
    expect(stretches.map((stretch) => [stretch.curve, pointsIn(stretch, rows)])).toEqual([
      [0, 2],
      [1, 1],
    ]);
    expect(rows.map(({ x }) => x)).toEqual([10, 100, 1000]);
  });

  it("stacks marks at one x, and takes no value for zero", () => {
    const { rows, marks } = curveRows(
      [curve("a", without(10, "missing")), curve("b", without(10, "skipped"))],
      1,
    );
    expect(marks.map(({ level }) => level)).toEqual([0, 1]);
    expect(rows).toEqual([{ x: 10 }]);
  });

  it("scales values and intervals alike", () => {
    const { rows, stretches } = curveRows([curve("a", measured(1, 2000))], 1000);
    const [only] = stretches;
    expect(rows[0]?.[only?.value ?? ""]).toBe(2);
    expect(rows[0]?.[only?.band ?? ""]).toEqual([1.999, 2.002]);
  });
});

describe("boundsOf", () => {
  it("holds the intervals and every trial too", () => {
    const dotted = { ...measured(1, 5), trials: [3, 9] };
    expect(boundsOf([curve("a", dotted, without(2, "failed"))])).toEqual([5, 4, 7, 3, 9]);
  });
});
