import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { clustersOptions } from "~/queries/clusters";
import { type Plan, planOptions } from "~/queries/experiments";
import { chosenCluster } from "./chosen_cluster";
import type { SpecDocument } from "./document";
import { type SpecFault, specFaults } from "./faults";

/** What the specification would do, as far as it is known while it is being written. */
export interface PlanState {
  /** The latest plan that there was. */
  plan: Plan | undefined;
  /** Whether `plan` is that of the text as it is. */
  current: boolean;
  /** What the API found wrong with the text as it is; nothing until it was asked. */
  faults: SpecFault[];
  /** Why there is no answer, where the specification is not to blame. */
  error: Error | null;
  retry: () => void;
}

interface Answer {
  plan: Plan | undefined;
  error: Error | null;
}

const SETTLED_MILLISECONDS = 400;
const NONE: SpecFault[] = [];

/**
 * Asks for the plan whenever the text has settled, by the noise floor, nodes, room and pace of
 * `cluster`, or of the only one that there is; what is asked for in vain is aborted.
 */
export function usePlan(document: SpecDocument, cluster?: string): PlanState {
  const [asked] = useDebouncedValue(document.text, SETTLED_MILLISECONDS);
  const readable = document.faults.length === 0;
  const settled = readable && asked === document.text;
  const clusters = useQuery(clustersOptions);
  const known = chosenCluster(clusters.data, cluster)?.id;
  const seen = (clusters.data ?? []).map(({ id, version }) => `${id}:${version}`).join();
  const query = useQuery({
    ...planOptions(asked, known, seen),
    enabled: settled && !clusters.isPending,
  });
  const [last, setLast] = useState<Answer>({ plan: undefined, error: null });
  if (settled && query.data && (query.data !== last.plan || last.error !== null)) {
    setLast({ plan: query.data, error: null });
  } else if (settled && query.error && query.error !== last.error) {
    setLast({ plan: last.plan, error: query.error });
  }
  const refused = specFaults(last.error);
  return {
    plan: last.plan,
    current: settled && query.isSuccess,
    faults: settled && query.error !== null ? refused : NONE,
    error: refused.length > 0 ? null : last.error,
    retry: () => void query.refetch(),
  };
}
