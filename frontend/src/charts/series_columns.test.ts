import { describe, expect, it } from "vitest";
import { columnAt, reachPath, seriesColumns } from "./series_columns";
import type { TimeSeries } from "./types";

const series = (offsets: number[], values: number[]): TimeSeries => ({
  key: String(offsets),
  label: "",
  unit: "s",
  offsets,
  values,
});

describe("seriesColumns", () => {
  const data = seriesColumns([series([0, 0.5, 2], [4, 9, 8]), series([1, 3], [5, 7])], [0, 3], 3);

  it("has a column only where a series has points: no zeros in between", () => {
    expect(data.reach.map((one) => [...one])).toEqual([
      [
        [0, [4, 9]],
        [2, [8, 8]],
      ],
      [
        [1, [5, 5]],
        [2, [7, 7]],
      ],
    ]);
    expect([data.low, data.high]).toEqual([4, 9]);
  });

  it("goes from column to column, and stays at the ends", () => {
    expect(data.filled).toEqual([0, 1, 2]);
    expect(data.next(null, 1)).toBe(0);
    expect(data.next(1, -1)).toBe(0);
    expect(data.next(2, 1)).toBe(2);
    expect(columnAt(data, 1.4)).toBe(1);
    expect(columnAt(seriesColumns([], [0, 1], 3), 1)).toBeNull();
  });
});

describe("reachPath", () => {
  const identity = (value: number) => value;

  it("reaches both ends of every column, whichever comes first", () => {
    const reach = new Map([
      [0, [1, 5] as const],
      [1, [2, 6] as const],
      [2, [3, 3] as const],
    ]);
    expect(reachPath(reach, identity, identity)).toBe("M0 5.0L0 1.0L1 2.0L1 6.0L2 3.0");
  });

  it("draws a lone point, and nothing for none", () => {
    expect(reachPath(new Map([[4, [1, 1] as const]]), identity, identity)).toBe("M4 1.0h0.01");
    expect(reachPath(new Map(), identity, identity)).toBe("");
  });
});
