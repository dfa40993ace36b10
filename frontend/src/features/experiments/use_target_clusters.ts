import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useMe } from "~/queries/accounts";
import { type Cluster, clustersOptions } from "~/queries/clusters";
import { chosenCluster } from "./chosen_cluster";
import { valueAt } from "./document";
import { axisValues } from "./typed";
import type { PlanState } from "./use_plan";
import type { Spec } from "./use_spec";

/** Where a specification would run, and obstacles to that. */
export interface TargetClusters {
  clusters: UseQueryResult<Cluster[]>;
  /** The names that the axis `cluster` gives; where there are none a cluster is chosen. */
  named: readonly (string | number)[];
  chosen: Cluster | undefined;
  /** All that would be measured. */
  measured: readonly Cluster[];
  /** Why it cannot be started now. */
  whyNot: string | undefined;
  /** Whether it starts only if what is uncertain is gone past. */
  needsForce: boolean;
}

/** `chosen` is a cluster's id, if one was chosen. */
export function useTargetClusters(
  spec: Spec,
  state: PlanState,
  chosen: string | undefined,
): TargetClusters {
  const { t } = useTranslation("experiments");
  const me = useMe();
  const clusters = useQuery(clustersOptions);
  const all = clusters.data ?? [];
  const named = axisValues(valueAt(spec.readable.value, ["axes", "cluster"])) ?? [];
  const one = chosenCluster(clusters.data, chosen);
  const several = all.filter(({ name }) => named.includes(name));
  const measured = named.length > 0 ? several : one ? [one] : [];
  const { plan, current } = state;

  function whyNot(): string | undefined {
    if (!me.may("operator")) return t("needs_operator");
    if (plan === undefined || !current) return t("needs_plan");
    if (measured.length === 0) return t(named.length > 0 ? "names_no_cluster" : "needs_cluster");
    return plan.obstacles.some(({ level }) => level === "refused") ? t("needs_mending") : undefined;
  }

  const needsForce = plan?.obstacles.some(({ level }) => level === "uncertain") ?? false;
  return { clusters, named, chosen: one, measured, whyNot: whyNot(), needsForce };
}
