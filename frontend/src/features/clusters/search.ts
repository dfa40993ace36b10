import type { Schemas } from "~/api/types";
import { type ListSearch, readId, readListSearch } from "~/list_tools/list_search";
import type { Capability, Cluster } from "~/queries/clusters";
import { defined, matching, oneOf, yes } from "~/ui/search_values";

export const PREFLIGHT_STATES = [
  "never",
  "queued",
  "running",
  "succeeded",
  "failed",
] as const satisfies readonly Schemas["PreflightState"][];

/** `/clusters`: in addition to what every list has, how their latest preflight stands. */
export interface ClustersSearch extends ListSearch {
  state?: Schemas["PreflightState"];
}

export function readClustersSearch(search: Record<string, unknown>): ClustersSearch {
  return defined({ ...readListSearch(search), state: oneOf(PREFLIGHT_STATES, search.state) });
}

/** `/clusters/$clusterId`: which tab is open. */
export interface ClusterSearch {
  tab?: "preflight" | "noise" | "fingerprints" | "access";
}

const TABS = ["preflight", "noise", "fingerprints", "access"] as const;

export function readClusterSearch(search: Record<string, unknown>): ClusterSearch {
  return defined({ tab: oneOf(TABS, search.tab) });
}

/** `/clusters/new`: how far the wizard is, for which rights, and the cluster it registered. */
export interface NewClusterSearch {
  step?: "kubeconfig" | "result";
  capability?: "measure" | "host_access" | "switch_modes";
  /** With the right of the token to ask for its own next one. */
  renew?: true;
  /** The manifest without admission policies, for API servers that do not know them. */
  policy?: "none";
  /** The cluster's own image, and the Secret that its nodes pull it with. */
  image?: string;
  secret?: string;
  cluster?: string;
}

const STEPS = ["kubeconfig", "result"] as const;
const CAPABILITIES = ["measure", "host_access", "switch_modes"] as const;

/** Where the manifest of a registered cluster is shown. */
export function manifestSearch(
  cluster: Pick<Cluster, "bench_image" | "image_pull_secret">,
  capability: Capability,
): NewClusterSearch {
  return {
    ...(capability === "renew" ? { renew: true as const } : { capability }),
    image: cluster.bench_image ?? undefined,
    secret: cluster.image_pull_secret ?? undefined,
  };
}

export function readNewClusterSearch(search: Record<string, unknown>): NewClusterSearch {
  const found = defined({
    capability: oneOf(CAPABILITIES, search.capability),
    renew: yes(search.renew),
    policy: oneOf(["none"], search.policy),
    image: matching(/^\S{1,512}$/, search.image),
    secret: matching(/^\S{1,253}$/, search.secret),
  });
  const step = oneOf(STEPS, search.step);
  const cluster = readId(search.cluster);
  // A result is that of a cluster; without one the wizard starts again.
  if (step === "result" && cluster !== undefined) return { ...found, step, cluster };
  if (step === "kubeconfig") return { ...found, step };
  return found;
}
