import { describe, expect, it } from "vitest";
import { byUnit, extentOf, seriesRows, seriesTable } from "./series_rows";
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

  it("share columns; a column that one lacks is no zero of it", () => {
    const rows = seriesRows([sent, cpu], [0, 3], 3, 2);
    expect(rows).toEqual([
      { offset: 0.5, "reach-0": [2, 2] },
      { offset: 1.5, "reach-0": [3, 3], "reach-1": [0.25, 0.25] },
      { offset: 2.5, "reach-0": [4, 4], "reach-1": [0.35, 0.35] },
    ]);
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
