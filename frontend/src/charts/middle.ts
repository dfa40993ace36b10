/** The median of values; null where there are none. */
export function middle(values: readonly number[]): number | null {
  const ordered = values.toSorted((one, other) => one - other);
  const half = ordered.length >> 1;
  const high = ordered[half];
  if (high === undefined) return null;
  return ordered.length % 2 ? high : ((ordered[half - 1] as number) + high) / 2;
}
