/**
 * The scales that axes here have, by the names that Recharts asks d3-scale for. The build gives it
 * these: d3's own are made for colours, dates and any other value too, of which no axis is, and
 * would be 15 KB of every page with a chart.
 */
interface Scale<Value> {
  (value: Value): number | undefined;
  domain(): Value[];
  domain(values: Iterable<Value>): this;
  range(): number[];
  range(pixels: Iterable<number>): this;
  copy(): Scale<Value>;
}

export const scaleLinear = () => continuous((value) => value);
export const scaleLog = () => continuous(Math.log);
export const scaleBand = () => ordinal(false);
export const scalePoint = () => ordinal(true);

/** Numbers along a line, after `transform`. A domain without a length is all in the middle. */
function continuous(transform: (value: number) => number): Scale<number> {
  function place(value: number, domain: readonly number[], range: readonly number[]) {
    const [start = 0, end = 0] = range;
    const [low = 0, high = 0] = domain.map(transform);
    if (Number.isNaN(value)) return undefined;
    const share = low === high ? 0.5 : (transform(value) - low) / (high - low);
    const found = start + share * (end - start);
    return Number.isFinite(found) ? found : undefined;
  }
  return withEnds(place, [0, 1], () => continuous(transform));
}

interface Ordinal extends Scale<unknown> {
  bandwidth(): number;
}

/** Values side by side: each has a band, or stands at a point with no width of its own. */
function ordinal(points: boolean): Ordinal {
  const measure = (count: number, range: readonly number[]) => {
    const [low, high] = [Math.min(...range), Math.max(...range)];
    const steps = points ? count - 1 : count;
    const step = (high - low) / Math.max(1, steps);
    return { step, first: low + (high - low - step * steps) / 2 };
  };
  function place(value: unknown, values: readonly unknown[], range: readonly number[]) {
    const [start = 0, end = 0] = range;
    const found = values.indexOf(value);
    const { step, first } = measure(values.length, range);
    if (found < 0) return undefined;
    return first + step * (end < start ? values.length - 1 - found : found);
  }
  const unique = (values: Iterable<unknown>) => [...new Set(values)];
  const scale = withEnds(place, [], () => ordinal(points), unique);
  const bandwidth = () => (points ? 0 : measure(scale.domain().length, scale.range()).step);
  return Object.assign(scale, { bandwidth });
}

function withEnds<Value>(
  place: (value: Value, domain: readonly Value[], range: readonly number[]) => number | undefined,
  first: Value[],
  fresh: () => Scale<Value>,
  kept = (values: Iterable<Value>) => [...values],
): Scale<Value> {
  let values = first;
  let pixels = [0, 1];
  const scale: Scale<Value> = Object.assign((value: Value) => place(value, values, pixels), {
    domain: (next?: Iterable<Value>) => {
      if (next === undefined) return values;
      values = kept(next);
      return scale;
    },
    range: (next?: Iterable<number>) => {
      if (next === undefined) return pixels;
      pixels = [...next];
      return scale;
    },
    copy: () => fresh().domain(values).range(pixels),
  }) as Scale<Value>;
  return scale;
}
