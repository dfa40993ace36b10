import { useQueries } from "@tanstack/react-query";
import { type Run, runOptions } from "~/queries/runs";
import { type AxisValues, modesOf } from "./choice";

/** A run whose modes can be compared with each other. */
export interface Suggestion {
  run: Run;
  along: AxisValues;
}

/** So many of the newest runs are checked. */
const NEWEST = 8;
const SHOWN = 4;

/** What is worth comparing: newest runs measured in more than one mode, one of each name. */
export function useSuggestions(runs: Run[]): { found: Suggestion[]; settled: boolean } {
  const measured = runs
    .filter((run) => run.outcome === "succeeded" || run.outcome === "partial")
    .slice(0, NEWEST);
  const details = useQueries({ queries: measured.map((run) => runOptions(run.id)) });
  const found = details.flatMap(({ data }) =>
    data === undefined ? [] : modesOf(data).map((along): Suggestion => ({ run: data, along })),
  );
  return {
    found: found.slice(0, SHOWN),
    settled: details.every((query) => !query.isPending),
  };
}
