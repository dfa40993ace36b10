import type { Entry } from "./layout/entry";

/** Every value, bound and trial of entries: what an axis holds that several charts share. */
export function reachOf(entries: readonly Entry[]): number[] {
  const all = entries.flatMap(({ figure, trials = [] }) =>
    figure === null
      ? []
      : [figure.value, figure.low ?? figure.value, figure.high ?? figure.value, ...trials],
  );
  return all.length === 0 ? [] : [Math.min(...all), Math.max(...all)];
}
