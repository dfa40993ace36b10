import { describe, expect, it } from "vitest";
import { changesBetween, fieldsOf } from "./changes";

const node = (name: string, kernel: string) => ({
  name,
  kernel,
  mtus: { eth0: 1500, "flannel.1": 1450 },
});

const before = {
  kubernetes_version: "v1.34.4",
  nodes: [node("node-1", "6.12.1"), node("node-2", "6.12.1")],
  kube_proxy: { mode: "iptables", sync_period: 30 },
  cni: { name: "flannel", features: { "encapsulation.Type": "vxlan" } },
  placement: null,
};

describe("changes between fingerprints", () => {
  it("are none where only the order of nodes differs", () => {
    expect(changesBetween(before, { ...before, nodes: before.nodes.toReversed() })).toEqual([]);
  });

  it("name the field with what it was and is", () => {
    const after = { ...before, kube_proxy: { mode: "ipvs", sync_period: 30 } };
    expect(changesBetween(before, after)).toEqual([
      { field: "kube_proxy.mode", nodes: [], before: "iptables", after: "ipvs" },
    ]);
  });

  it("are one for nodes that changed alike, and one each for others", () => {
    const alike = [node("node-1", "6.12.9"), node("node-2", "6.12.9")];
    expect(changesBetween(before, { ...before, nodes: alike })).toEqual([
      { field: "kernel", nodes: ["node-1", "node-2"], before: "6.12.1", after: "6.12.9" },
    ]);
    const apart = [node("node-1", "6.12.9"), node("node-2", "6.13.0")];
    expect(changesBetween(before, { ...before, nodes: apart })).toHaveLength(2);
  });

  it("tell a field that came or went from one that is empty", () => {
    const host = [
      { ...node("node-1", "6.12.1"), mtus: { eth0: 1500 } },
      { ...node("node-2", "6.12.1"), mtus: { eth0: 1500 } },
    ];
    expect(changesBetween(before, { ...before, nodes: host })).toEqual([
      { field: "mtus.flannel.1", nodes: ["node-1", "node-2"], before: "1450", after: null },
    ]);
  });

  it("do not take a cluster's field for a node's of the same name", () => {
    const found = changesBetween(
      { nodes: [] },
      { kernel: "a", nodes: [{ name: "n", kernel: "a" }] },
    );
    expect(found.map(({ nodes }) => nodes)).toEqual([[], ["n"]]);
  });
});

it("lists every field that has a value", () => {
  const fields = fieldsOf(before);
  expect(fields).toContainEqual({ field: "mtus.eth0", node: "node-1", value: "1500" });
  expect(fields.map(({ field }) => field)).not.toContain("placement");
});

describe("a fingerprint with fields that were not seen", () => {
  const worker = (name: string, kernel: string) => ({
    name,
    kernel,
    mtus: { eth0: 1500 },
    nics: [],
  });
  const fingerprint = (mode: string, kernel = "6.1") => ({
    kubernetes_version: "1.34.1",
    nodes: [worker("a", "6.1"), worker("b", kernel)],
    kube_proxy: { mode, sync_period: null },
    placement: null,
  });

  it("names every field that was seen", () => {
    expect(fieldsOf(fingerprint("ipvs")).map(({ field, node }) => [node, field])).toEqual([
      [null, "kubernetes_version"],
      [null, "kube_proxy.mode"],
      ["a", "kernel"],
      ["a", "mtus.eth0"],
      ["b", "kernel"],
      ["b", "mtus.eth0"],
    ]);
  });

  it("says what differs, whatever the order of the nodes", () => {
    const after = fingerprint("nftables", "6.12");
    after.nodes.reverse();
    expect(changesBetween(fingerprint("ipvs"), after)).toEqual([
      { field: "kube_proxy.mode", nodes: [], before: "ipvs", after: "nftables" },
      { field: "kernel", nodes: ["b"], before: "6.1", after: "6.12" },
    ]);
    expect(changesBetween(fingerprint("ipvs"), fingerprint("ipvs"))).toEqual([]);
  });

  it("says lists as they are read", () => {
    expect(fieldsOf({ nics: ["virtio", "veth"], nodes: [] })).toEqual([
      { field: "nics", node: null, value: "virtio, veth" },
    ]);
  });
});
