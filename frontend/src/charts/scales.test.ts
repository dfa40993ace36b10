import * as d3 from "d3-scale";
import { describe, expect, it } from "vitest";
import { scaleBand, scaleLinear, scaleLog, scalePoint } from "./scales";

/** Recharts gets these where it asks for d3's: they have to say the same. */
describe("the scales of axes", () => {
  const PIXELS = [
    [0, 400],
    [300, 20],
  ] as const;

  it.each([
    { name: "linear", ours: scaleLinear, theirs: d3.scaleLinear, domain: [-3, 12] },
    { name: "log", ours: scaleLog, theirs: d3.scaleLog, domain: [9, 33_000] },
    { name: "linear without a length", ours: scaleLinear, theirs: d3.scaleLinear, domain: [5, 5] },
  ])("are d3's: $name", ({ ours, theirs, domain }) => {
    for (const range of PIXELS) {
      const [one, other] = [ours().domain(domain).range(range), theirs(domain, range)];
      for (const value of [...domain, 0.5, 7, 100, Number.NaN]) {
        const expected = other(value);
        if (expected === undefined) expect(one(value)).toBeUndefined();
        else expect(one(value)).toBeCloseTo(expected, 9);
      }
      expect(one.copy().domain()).toEqual(other.domain());
      expect(one.range()).toEqual(other.range());
    }
  });

  it.each([
    { name: "band", ours: scaleBand, theirs: d3.scaleBand },
    { name: "point", ours: scalePoint, theirs: d3.scalePoint },
  ])("are d3's: $name", ({ ours, theirs }) => {
    for (const domain of [["a"], ["a", "b", "c"], ["a", "b", "a"], []]) {
      for (const range of PIXELS) {
        const one = ours().domain(domain).range(range);
        const other = theirs(domain, range);
        for (const value of ["a", "b", "c", "elsewhere"]) {
          expect(one(value)).toEqual(other(value));
        }
        expect(one.bandwidth()).toBeCloseTo(other.bandwidth(), 9);
        expect(one.domain()).toEqual(other.domain());
      }
    }
  });
});
