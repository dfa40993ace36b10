import { holds } from "~/api/rows";
import type { RunReport, Unit } from "~/api/types";

export interface MetricOption {
  name: string;
  unit: Unit;
  direction: string;
  /** Whether some case is about it. */
  main: boolean;
  /** Its subjects, where their values add up to one whole. */
  parts: readonly string[];
}

/** The metrics that have summaries, those that cases are about first. */
export function metricOptions({ metrics, summaries }: RunReport): MetricOption[] {
  const measured = new Set(summaries.map(({ key }) => key.metric));
  // Reports frozen before their metrics said it have it in the summaries alone.
  const mains = new Set(summaries.filter((one) => holds(one, "main")).map(({ key }) => key.metric));
  const options = metrics
    .filter(({ name }) => measured.has(name))
    .map(({ name, unit, direction, main, parts = [] }) => ({
      name,
      parts,
      unit: unit as Unit,
      direction,
      main: main || mains.has(name),
    }));
  return options.toSorted((one, other) => Number(other.main) - Number(one.main));
}
