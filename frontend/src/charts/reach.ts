import { wholeOf } from "./bar_rows";
import type { Entry } from "./layout/entry";
import { keyOf, type Panel } from "./layout/panels";

/** Every value, bound and trial of entries: what an axis holds that several charts share. */
export function reachOf(entries: readonly Entry[]): number[] {
  const all = entries.flatMap(({ figure, trials = [] }) =>
    figure === null
      ? []
      : [figure.value, figure.low ?? figure.value, figure.high ?? figure.value, ...trials],
  );
  return all.length === 0 ? [] : [Math.min(...all), Math.max(...all)];
}

/** The same of one panel, which is drawn alone. */
export function reachIn(
  entries: readonly Entry[],
  facets: readonly string[],
  panel: Panel | undefined,
): number[] {
  return reachOf(entries.filter(({ point }) => keyOf(point, facets) === panel?.key));
}

/** The same of bars that are wholes of several parts. */
export function reachOfWholes(panels: readonly Panel[]): number[] {
  return [0, ...panels.flatMap(({ groups }) => groups.map((group) => wholeOf(group) ?? 0))];
}
