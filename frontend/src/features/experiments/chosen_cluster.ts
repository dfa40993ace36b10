import type { Cluster } from "~/queries/clusters";

/** The cluster of an id; the only one that there is need not be chosen. */
export function chosenCluster(
  all: readonly Cluster[] | undefined,
  id: string | undefined,
): Cluster | undefined {
  const only = all?.length === 1 ? all[0] : undefined;
  return all?.find((one) => one.id === id) ?? only;
}
