import { middle } from "./middle";
import type { Hued } from "./palette";
import type { BarGroup, Curve, CurvePoint } from "./types";

/** What each round of one side gave. */
export interface RoundsSide extends Hued {
  key: string;
  label: string;
  /** A list of trials for each round; empty where the side has none in it. */
  values: readonly (readonly number[])[];
}

const point = (x: number, value: number, trials?: readonly number[]): CurvePoint => ({
  x,
  state: "measured",
  figure: { value },
  n: trials?.length ?? 0,
  trials,
});

/** The median of each round, with its trials as dots; a round without trials is a gap. */
export function byRound(sides: readonly RoundsSide[]): Curve[] {
  return sides.map(({ key, label, hue, shade, values }) => ({
    key,
    label,
    hue,
    shade,
    points: values.map((trials, place) => {
      const median = middle(trials);
      return median === null
        ? { x: place + 1, state: "missing", figure: null, n: 0 }
        : point(place + 1, median, trials);
    }),
  }));
}

/** The medians of the rounds of each pair of nodes, `pairs` having that of each round. */
export function byPair(
  sides: readonly RoundsSide[],
  pairs: readonly string[],
  labelOf: (pair: string) => string,
): BarGroup[] {
  return [...new Set(pairs)].toSorted().map((pair) => ({
    key: pair,
    label: labelOf(pair),
    bars: sides.map(({ key, label, hue, shade, values }) => {
      const medians = values
        .map((trials, place) => (pairs[place] === pair ? middle(trials) : null))
        .filter((median) => median !== null);
      const centre = middle(medians);
      const named = { key, label, hue, shade, n: medians.length };
      return centre === null
        ? { ...named, figure: null, state: "missing" as const }
        : { ...named, figure: { value: centre }, trials: medians, state: "measured" as const };
    }),
  }));
}

/**
 * The share of rounds that gave a value or less (the empirical distribution function), as steps
 * from the least to the greatest value of all sides.
 */
export function cumulated(sides: readonly RoundsSide[], factor: number): Curve[] {
  const medians = sides.map(({ values }) =>
    values
      .map((trials) => middle(trials))
      .filter((median) => median !== null)
      .map((median) => median / factor)
      .toSorted((one, other) => one - other),
  );
  const all = medians.flat();
  const [least, most] = [Math.min(...all), Math.max(...all)];
  return sides.map(({ key, label, hue, shade }, index) => {
    const own = medians[index] ?? [];
    const steps = new Map(own.map((x, place) => [x, (place + 1) / own.length]));
    if (own.length > 0) {
      if (!steps.has(least)) steps.set(least, 0);
      steps.set(most, 1);
    }
    const points = [...steps].map(([x, share]) => point(x, share));
    return { key, label, hue, shade, points: points.toSorted((one, other) => one.x - other.x) };
  });
}
