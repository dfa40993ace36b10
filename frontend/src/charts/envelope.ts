/** A series in as many columns as there are pixels: what each column reaches down and up to. */
export interface Envelope {
  /** The columns that have points, ascending. */
  columns: number[];
  low: number[];
  high: number[];
}

/**
 * The least and greatest value of each of `columns` equal stretches from `start` to `end`, so
 * that no spike is lost however many points there are. `offsets` ascend; what lies outside is
 * left out.
 */
export function envelope(
  offsets: readonly number[],
  values: readonly number[],
  columns: number,
  [start, end]: readonly [number, number] = [offsets[0] ?? 0, offsets.at(-1) ?? 0],
): Envelope {
  const found: Envelope = { columns: [], low: [], high: [] };
  const width = (end - start) / columns;
  for (let index = firstFrom(offsets, start); index < offsets.length; index += 1) {
    const offset = offsets[index] as number;
    if (offset > end) break;
    const value = values[index] as number;
    const column = width > 0 ? Math.min(columns - 1, Math.floor((offset - start) / width)) : 0;
    const last = found.columns.length - 1;
    if (found.columns[last] !== column) {
      found.columns.push(column);
      found.low.push(value);
      found.high.push(value);
    } else {
      if (value < (found.low[last] as number)) found.low[last] = value;
      if (value > (found.high[last] as number)) found.high[last] = value;
    }
  }
  return found;
}

/** The place of the first offset that is not below `start`. */
function firstFrom(offsets: readonly number[], start: number): number {
  let low = 0;
  let high = offsets.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle] as number) < start) low = middle + 1;
    else high = middle;
  }
  return low;
}
