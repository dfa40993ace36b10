/** `/clusters/$clusterId`: which tab is open. */
export interface ClusterSearch {
  tab?: "preflight" | "fingerprints" | "access";
}

const TABS = ["preflight", "fingerprints", "access"] as const;

export function readClusterSearch(search: Record<string, unknown>): ClusterSearch {
  const tab = TABS.find((known) => known === search.tab);
  return tab === undefined ? {} : { tab };
}

/** `/clusters/new`: how far the wizard is, for which rights, and the cluster it registered. */
export interface NewClusterSearch {
  step?: "kubeconfig" | "result";
  capability?: "measure" | "host_access" | "switch_modes";
  /** The manifest without admission policies, for API servers that do not know them. */
  policy?: "none";
  cluster?: string;
}

const STEPS = ["kubeconfig", "result"] as const;
const CAPABILITIES = ["measure", "host_access", "switch_modes"] as const;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function readNewClusterSearch(search: Record<string, unknown>): NewClusterSearch {
  const found: NewClusterSearch = {};
  const capability = CAPABILITIES.find((known) => known === search.capability);
  if (capability !== undefined) found.capability = capability;
  if (search.policy === "none") found.policy = "none";
  const step = STEPS.find((known) => known === search.step);
  const cluster =
    typeof search.cluster === "string" && UUID.test(search.cluster) ? search.cluster : undefined;
  // A result is that of a cluster; without one the wizard begins anew.
  if (step === "result" && cluster !== undefined) return { ...found, step, cluster };
  if (step === "kubeconfig") return { ...found, step };
  return found;
}
