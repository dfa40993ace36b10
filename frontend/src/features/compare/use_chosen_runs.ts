import { useQueries } from "@tanstack/react-query";
import { type Case, casesOptions, type RunDetail, runOptions } from "~/queries/runs";
import type { CompareSearch } from "./search";

/** A run that a side is of; what has not arrived yet, or could not be read, is undefined. */
export interface ChosenRun {
  detail: RunDetail | undefined;
  cases: Case[] | undefined;
  error: Error | null;
}

/** The runs of both sides with their cases, by their ids. */
export function useChosenRuns({ baseline, contenders = [] }: CompareSearch) {
  const sides = baseline === undefined ? contenders : [baseline, ...contenders];
  const ids = [...new Set(sides.map((side) => side.run))];
  const details = useQueries({ queries: ids.map(runOptions) });
  const cases = useQueries({ queries: ids.map(casesOptions) });
  const runs = new Map(
    ids.map((id, index): [string, ChosenRun] => [
      id,
      {
        detail: details[index]?.data,
        cases: cases[index]?.data,
        error: details[index]?.error ?? cases[index]?.error ?? null,
      },
    ]),
  );
  return { runs, settled: [...details, ...cases].every((query) => !query.isPending) };
}
