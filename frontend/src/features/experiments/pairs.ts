import type { AxisValue } from "~/api/types";

/** How a sample of pairs is written, before its size. */
export const SAMPLE = "sample-";

/** Stands for all ordered pairs; only kinds that measure pairs as cases have it. */
export const ALL = "all";

/** Of how many pairs a sample is; null for what is no sample. */
export function sampleSize(value: AxisValue | undefined): number | null {
  const [, size] = /^sample-([1-9]\d{0,4})$/.exec(String(value ?? "")) ?? [];
  return size === undefined ? null : Number(size);
}
