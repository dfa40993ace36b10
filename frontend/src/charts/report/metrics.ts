import type { RunReport, Unit } from "~/api/types";

export interface MetricOption {
  name: string;
  unit: Unit;
  direction: string;
  /** Whether some case is about it. */
  main: boolean;
}

/** The metrics that have summaries, those that cases are about first. */
export function metricOptions(report: RunReport): MetricOption[] {
  const measured = new Set(report.summaries.map(({ metric }) => metric));
  const main = new Set(report.summaries.filter((one) => one.main).map(({ metric }) => metric));
  const options = report.metrics
    .filter(({ name }) => measured.has(name))
    .map(({ name, unit, direction }) => ({
      name,
      unit: unit as Unit,
      direction,
      main: main.has(name),
    }));
  return [...options.filter((one) => one.main), ...options.filter((one) => !one.main)];
}
