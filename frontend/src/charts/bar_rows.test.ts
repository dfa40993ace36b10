import { describe, expect, it } from "vitest";
import { barRows, wholeOf } from "./bar_rows";
import type { Bar, BarGroup } from "./types";

const bar = (key: string, value: number | null): Bar => ({
  key,
  label: key.toUpperCase(),
  hue: 0,
  shade: 0,
  figure: value === null ? null : { value, low: value - 2, high: value + 1 },
  n: value === null ? 0 : 7,
  state: value === null ? "failed" : "measured",
});
const group = (key: string, ...bars: Bar[]): BarGroup => ({ key, label: key, bars });

describe("barRows", () => {
  const { series, rows, bounds, at } = barRows(
    [group("one", bar("a", 10), bar("b", null)), group("two", bar("b", -4))],
    2,
  );

  it("finds the series whichever group has them", () => {
    expect(series.map(({ key }) => key)).toEqual(["a", "b"]);
    expect(at.get("two")?.bars.map((one) => one?.key)).toEqual([undefined, "b"]);
  });

  it("gives a bar without a value no length", () => {
    expect(rows[0]).toEqual({ key: "one", "value-0": 5 });
  });

  it("keeps what is below zero below zero", () => {
    expect(rows[1]?.["value-1"]).toBe(-2);
    expect(bounds).toEqual([5, 4, 5.5, -2, -3, -1.5]);
  });
});

it("an interval without bound leaves the picture, and the others stay to be read", () => {
  const wide = { ...bar("a", -0.6), figure: { value: -0.6, low: -1, high: 6_000_000 } };
  const { bounds } = barRows([group("one", wide, bar("b", 0.5))], 1);
  expect(Math.max(...bounds)).toBeCloseTo(2.4);
});

describe("parts of a whole", () => {
  const whole = group("one", bar("a", 10), bar("b", 4));
  const broken = group("two", bar("a", 10), bar("b", null));

  it("add up, unless one of them is not there", () => {
    expect(wholeOf(whole)).toBe(14);
    expect(wholeOf(broken)).toBeNull();
    expect(wholeOf(group("none"))).toBeNull();
  });

  it("reach as far as their whole, and a part alone has no length", () => {
    const { rows, bounds } = barRows([whole, broken], 2, true);
    expect(rows).toEqual([{ key: "one", "value-0": 5, "value-1": 2 }, { key: "two" }]);
    expect(bounds).toEqual([7, 0]);
  });
});
