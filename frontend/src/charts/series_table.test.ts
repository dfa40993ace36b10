import { describe, expect, it } from "vitest";
import { byUnit, extentOf, seriesTable } from "./series_table";
import type { TimeSeries } from "./types";

const sent: TimeSeries = {
  key: "a",
  label: "Sent",
  unit: "bit/s",
  offsets: [0, 1, 2],
  values: [4, 6, 8],
};
const cpu: TimeSeries = {
  key: "b",
  label: "CPU",
  unit: "ratio",
  offsets: [1, 3],
  values: [0.5, 0.7],
};

describe("series", () => {
  it("are put together by unit and cover what any of them covers", () => {
    expect(
      byUnit([sent, cpu, { ...sent, key: "c" }]).map(([unit, all]) => [unit, all.length]),
    ).toEqual([
      ["bit/s", 2],
      ["ratio", 1],
    ]);
    expect(extentOf([sent, cpu])).toEqual([0, 3]);
  });

  it("have every point in their table", () => {
    expect(seriesTable([sent, cpu], "Second").rows).toEqual([
      [0, 4, null],
      [1, 6, 0.5],
      [2, 8, null],
      [3, null, 0.7],
    ]);
  });
});
