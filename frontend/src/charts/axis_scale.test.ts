import { describe, expect, it } from "vitest";
import { allowsLog, axisScale, endsAroundZero } from "./axis_scale";

describe("axisScale", () => {
  it("begins at zero and ends on a round number", () => {
    const scale = axisScale([37, 912], "linear");
    expect(scale.domain).toEqual([0, 1000]);
    expect(scale.ticks).toEqual([0, 200, 400, 600, 800, 1000]);
  });

  it("holds negative values, zero among its ticks", () => {
    const scale = axisScale([-0.03, 0.11], "linear");
    expect(scale.domain[0]).toBeLessThanOrEqual(-0.03);
    expect(scale.domain[1]).toBeGreaterThanOrEqual(0.11);
    expect(scale.ticks).toContain(0);
  });

  it("begins at zero where all is zero", () => {
    expect(axisScale([0, 0], "linear").domain).toEqual([0, 1]);
  });

  it("has one tick for one value that it need not compare with zero", () => {
    expect(axisScale([500, 500], "linear", { fromZero: false })).toEqual({
      name: "linear",
      domain: [499.5, 500.5],
      ticks: [500],
    });
  });

  it("counts decades, more finely where there are few", () => {
    expect(axisScale([10, 30_000], "log").ticks).toEqual([10, 100, 1000, 10_000]);
    expect(axisScale([10, 200], "log").ticks).toEqual([10, 20, 50, 100, 200]);
  });

  it("is linear where a logarithm is impossible", () => {
    expect(axisScale([0, 10], "log").name).toBe("linear");
    expect(allowsLog([0, 10])).toBe(false);
    expect(allowsLog([])).toBe(false);
    expect(allowsLog([1, 10])).toBe(true);
  });

  it.each([
    { values: [] as number[], wanted: "linear" as const },
    { values: [5], wanted: "linear" as const },
    { values: [0], wanted: "linear" as const },
    { values: [5], wanted: "log" as const },
  ])("always has a length and ticks: $values $wanted", ({ values, wanted }) => {
    const scale = axisScale(values, wanted);
    expect(scale.domain[1]).toBeGreaterThan(scale.domain[0]);
    expect(scale.ticks.length).toBeGreaterThan(0);
    for (const value of values) {
      expect(value).toBeGreaterThanOrEqual(scale.domain[0]);
      expect(value).toBeLessThanOrEqual(scale.domain[1]);
    }
  });
});

describe("the ends of an axis of changes", () => {
  it.each([
    [[0, 0], -1, 1],
    [[], -1, 1],
    [[0.1, 0.5], -0.1, 0.5],
    [[-0.5, -0.1], -0.5, 0.1],
    [[-0.02, 0.03], -0.02, 0.03],
  ])("%o has zero inside", (values, low, high) =>
    expect(endsAroundZero(values)).toEqual([low, high]));
});
