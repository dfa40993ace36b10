import { describe, expect, it } from "vitest";
import { envelope } from "./envelope";

/** The same numbers on every machine. */
function noise(count: number): number[] {
  let seed = 42;
  return Array.from({ length: count }, () => {
    seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return seed / 2 ** 32;
  });
}

describe("envelope", () => {
  const offsets = Array.from({ length: 100_000 }, (_, index) => index * 0.01);
  const values = noise(100_000);
  values[12_345] = 1000;
  values[67_890] = -1000;

  it("keeps the least and greatest value of every column", () => {
    const columns = 800;
    const { columns: found, low, high } = envelope(offsets, values, columns);
    const width = (offsets.at(-1) as number) / columns;
    const buckets = new Map<number, number[]>();
    offsets.forEach((offset, index) => {
      const column = Math.min(columns - 1, Math.floor(offset / width));
      const bucket = buckets.get(column) ?? [];
      bucket.push(values[index] as number);
      buckets.set(column, bucket);
    });
    expect(found).toEqual([...buckets.keys()]);
    expect(low).toEqual([...buckets.values()].map((bucket) => Math.min(...bucket)));
    expect(high).toEqual([...buckets.values()].map((bucket) => Math.max(...bucket)));
  });

  it("keeps a spike of a single point", () => {
    const { low, high } = envelope(offsets, values, 300);
    expect(Math.max(...high)).toBe(1000);
    expect(Math.min(...low)).toBe(-1000);
  });

  it("looks at a range alone", () => {
    const zoomed = envelope(offsets, values, 100, [100, 110]);
    const inside = values.slice(10_000, 11_001);
    expect(Math.max(...zoomed.high)).toBe(Math.max(...inside));
    expect(Math.min(...zoomed.low)).toBe(Math.min(...inside));
  });

  it("leaves out columns without points, and takes a single point as it is", () => {
    expect(envelope([0, 10], [1, 2], 5)).toEqual({ columns: [0, 4], low: [1, 2], high: [1, 2] });
    expect(envelope([3], [7], 5)).toEqual({ columns: [0], low: [7], high: [7] });
    expect(envelope([], [], 5)).toEqual({ columns: [], low: [], high: [] });
  });
});
