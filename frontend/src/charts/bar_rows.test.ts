import { describe, expect, it } from "vitest";
import { barRows } from "./bar_rows";
import type { Bar, BarGroup } from "./types";

const bar = (key: string, value: number | null): Bar => ({
  key,
  label: key.toUpperCase(),
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
