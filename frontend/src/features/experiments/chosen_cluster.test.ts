import { expect, it } from "vitest";
import type { Cluster } from "~/queries/clusters";
import { chosenCluster } from "./chosen_cluster";

const [one, two] = [{ id: "1" } as Cluster, { id: "2" } as Cluster];

it("takes the only cluster that there is, and none of several that was not chosen", () => {
  expect(chosenCluster([one], undefined)).toBe(one);
  expect(chosenCluster([one], "gone")).toBe(one);
  expect(chosenCluster([one, two], undefined)).toBeUndefined();
  expect(chosenCluster([one, two], "2")).toBe(two);
  expect(chosenCluster([], "2")).toBeUndefined();
  expect(chosenCluster(undefined, "2")).toBeUndefined();
});
