import type { UseQueryOptions } from "@tanstack/react-query";
import {
  casesOptions,
  caseTrialsOptions,
  endedBlocks,
  fingerprintsOptions,
  kindsOptions,
  logOptions,
  type RunDetail,
  reportOptions,
  trialOptions,
  trialsOptions,
} from "./queries";
import type { RunSearch } from "./search";

/** All that the page reads besides the run itself: it is ready when this has arrived. */
export function needed(run: RunDetail, search: RunSearch): UseQueryOptions[] {
  const { id } = run;
  const opened = [
    search.case !== undefined && [casesOptions(id), caseTrialsOptions(id, search.case)],
    search.trial !== undefined && [kindsOptions, trialOptions(id, search.trial)],
  ];
  return [
    ...ofTab(run, search.tab ?? "cases"),
    ...opened.flatMap((one) => one || []),
  ] as unknown as UseQueryOptions[];
}

function ofTab(run: RunDetail, tab: NonNullable<RunSearch["tab"]>): unknown[] {
  const { id } = run;
  switch (tab) {
    case "cases":
      return [
        casesOptions(id),
        kindsOptions,
        reportOptions(id),
        trialsOptions(id, endedBlocks(run)),
      ];
    case "results":
      return [reportOptions(id)];
    case "log":
      return [logOptions(id)];
    case "environment":
      return [casesOptions(id), ...clusterIds(run).map(fingerprintsOptions)];
    case "specification":
      return [];
  }
}

/** Those of the run's clusters that are still registered. */
export function clusterIds(run: RunDetail): string[] {
  return run.clusters.flatMap((one) => one.cluster_id ?? []);
}
