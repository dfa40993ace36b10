import { hashKey, type QueryKey, type UseQueryOptions } from "@tanstack/react-query";
import { allFingerprintsOptions } from "~/queries/clusters";
import { kindsOptions } from "~/queries/kinds";
import {
  casesOptions,
  caseTrialsOptions,
  endedBlocks,
  logOptions,
  type RunDetail,
  reportOptions,
  trialOptions,
  trialsOptions,
} from "~/queries/runs";
import { firstTab, type RunSearch } from "./search";

/** All that the page reads besides the run itself, each once: it is ready when this has arrived. */
export function needed(run: RunDetail, search: RunSearch): UseQueryOptions[] {
  const { id } = run;
  const all: unknown[] = ofTab(run, search.tab ?? firstTab(run));
  // Its headline.
  if (run.state === "finished") all.push(reportOptions(id, "main"));
  if (search.case !== undefined) all.push(casesOptions(id), caseTrialsOptions(id, search.case));
  if (search.trial !== undefined) {
    all.push(casesOptions(id), kindsOptions, trialOptions(id, search.trial));
  }
  const named = (all as UseQueryOptions[]).map(
    (one) => [hashKey(one.queryKey as QueryKey), one] as const,
  );
  return [...new Map(named).values()];
}

function ofTab(run: RunDetail, tab: NonNullable<RunSearch["tab"]>): unknown[] {
  const { id } = run;
  switch (tab) {
    case "cases":
      return [
        casesOptions(id),
        kindsOptions,
        reportOptions(id, "main"),
        trialsOptions(id, endedBlocks(run)),
      ];
    case "results":
      return [reportOptions(id, "all")];
    case "log":
      return [logOptions(id)];
    case "environment":
      return [casesOptions(id), ...clusterIds(run).map(allFingerprintsOptions)];
    case "specification":
      return [];
  }
}

/** Those of the run's clusters that are still registered. */
function clusterIds(run: RunDetail): string[] {
  return run.clusters.flatMap((one) => one.cluster_id ?? []);
}
