import { describe, expect, it } from "vitest";
import { differences, frozenClusters, leaves } from "./environment";

const node = (name: string, kernel: string) => ({ name, kernel, mtus: { eth0: 1500 }, nics: [] });
const fingerprint = (mode: string, kernel = "6.1") => ({
  kubernetes_version: "1.34.1",
  nodes: [node("a", "6.1"), node("b", kernel)],
  kube_proxy: { mode, sync_period: null },
  placement: null,
});

describe("environment", () => {
  it("names every field that was seen", () => {
    expect(leaves(fingerprint("ipvs")).map((leaf) => leaf.field)).toEqual([
      "kubernetes_version",
      "kube_proxy.mode",
      "nodes.a.kernel",
      "nodes.a.mtus.eth0",
      "nodes.b.kernel",
      "nodes.b.mtus.eth0",
    ]);
  });

  it("says what differs, whatever the order of the nodes", () => {
    const after = fingerprint("nftables", "6.12");
    after.nodes.reverse();
    expect(differences(fingerprint("ipvs"), after)).toEqual([
      { field: "kube_proxy.mode", before: "ipvs", after: "nftables" },
      { field: "nodes.b.kernel", before: "6.1", after: "6.12" },
    ]);
    expect(differences(fingerprint("ipvs"), fingerprint("ipvs"))).toEqual([]);
  });

  it("has no cluster before the preflight", () => {
    expect(frozenClusters(null)).toEqual([]);
    expect(frozenClusters({ clusters: { x: { fingerprint: { a: 1 } } } })).toEqual([
      { name: "x", fingerprint: { a: 1 } },
    ]);
  });
});
