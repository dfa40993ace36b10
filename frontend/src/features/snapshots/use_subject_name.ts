import { useQuery } from "@tanstack/react-query";
import type { Comparison } from "~/api/types";
import { comparisonOptions } from "~/queries/comparisons";
import { runOptions } from "~/queries/runs";
import type { Subject } from "~/queries/snapshots";

/** The name of what is shared, as a title to begin with; undefined until it is known. */
export function useSubjectName({ kind, id }: Subject): string | undefined {
  const run = useQuery({ ...runOptions(id), enabled: kind === "run" });
  const comparison = useQuery({ ...comparisonOptions(id), enabled: kind === "comparison" });
  return kind === "run" ? run.data?.name : comparison.data && labelsOf(comparison.data);
}

function labelsOf({ baseline, contenders }: Comparison): string {
  return [baseline, ...contenders.map((one) => one.side)].map((side) => side.label).join(" / ");
}
