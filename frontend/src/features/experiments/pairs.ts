import type { AxisValue } from "~/api/types";

/** How a sample of pairs is written, before its size. */
export const SAMPLE = "sample-";

/** Of how many pairs a sample is; null for what is no sample. */
export function sampleSize(value: AxisValue | undefined): number | null {
  const [, size] = /^sample-([1-9]\d{0,4})$/.exec(String(value ?? "")) ?? [];
  return size === undefined ? null : Number(size);
}
