/** A series in as many columns as there are pixels: what each column reaches down and up to. */
export interface Envelope {
  /** Seconds: the middle of each column that has points. */
  offsets: number[];
  low: number[];
  high: number[];
}

/**
 * The least and greatest value of each of `columns` equal stretches of time, so that no spike is
 * lost however many points there are. Columns without points are left out. `offsets` ascend.
 */
export function envelope(
  offsets: readonly number[],
  values: readonly number[],
  columns: number,
): Envelope {
  const found: Envelope = { offsets: [], low: [], high: [] };
  const count = offsets.length;
  if (count === 0 || columns < 1) return found;
  const first = offsets[0] as number;
  const width = ((offsets[count - 1] as number) - first) / columns;
  let column = -1;
  for (let index = 0; index < count; index += 1) {
    const value = values[index] as number;
    const here =
      width > 0 ? Math.min(columns - 1, Math.floor(((offsets[index] as number) - first) / width)) : 0;
    const last = found.low.length - 1;
    if (here !== column) {
      column = here;
      found.offsets.push(first + (here + 0.5) * width);
      found.low.push(value);
      found.high.push(value);
    } else {
      if (value < (found.low[last] as number)) found.low[last] = value;
      if (value > (found.high[last] as number)) found.high[last] = value;
    }
  }
  return found;
}
