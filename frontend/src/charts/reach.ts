import { wholeOf } from "./bar_rows";
import type { Entry } from "./layout/entry";
import type { Panel } from "./layout/panels";

/** Every value, bound and trial of entries: what an axis holds that several charts share. */
export function reachOf(entries: readonly Entry[]): number[] {
  const all = entries.flatMap(({ figure, trials = [] }) =>
    figure === null
      ? []
      : [figure.value, figure.low ?? figure.value, figure.high ?? figure.value, ...trials],
  );
  return all.length === 0 ? [] : [Math.min(...all), Math.max(...all)];
}

/** The same of bars that are wholes of several parts. */
export function reachOfWholes(panels: readonly Panel[]): number[] {
  return [0, ...panels.flatMap(({ groups }) => groups.map((group) => wholeOf(group) ?? 0))];
}
