import { describe, expect, it } from "vitest";
import { readCapabilities } from "./capabilities";
import captured from "./fixtures/capabilities_testbed.json";
import fingerprints from "./fixtures/fingerprints_testbed.json";
import { readNodeFacts } from "./node_facts";

describe("capabilities captured from a real preflight", () => {
  const found = readCapabilities(captured);

  it("are read whole: nothing is left for the section of unknown things", () => {
    expect(found.others).toEqual([]);
    expect(found.kubernetesVersion).toBe("v1.34.4");
    expect(found.nodes.map(({ name, cpus }) => [name, cpus])).toEqual([
      ["node-1", "2"],
      ["node-2", "2"],
    ]);
    expect(found.room).toEqual({ services: 3, freeClusterIps: 1_048_571, freeNodePorts: 45_536 });
    expect(found.cni).toMatchObject({ name: "flannel", encapsulation: "host-gw", podMtu: 1500 });
    expect(found.kubeProxy).toMatchObject({ mode: "iptables", syncSeconds: 30 });
    expect(found.sharedHost).toBe(true);
    expect(found.rights.map(({ capability, allowed }) => [capability, allowed])).toEqual([
      ["measure", true],
      ["host_access", true],
      ["switch_modes", true],
    ]);
  });

  it("tell which modes are in effect, which could be, and why others could not", () => {
    const proxy = found.axes.find(({ axis }) => axis === "kube_proxy_mode");
    expect(proxy?.observed).toBe("iptables");
    const values = new Map(proxy?.values.map(({ value, whyNot }) => [value, whyNot]));
    expect(values.get("nftables")).toBeNull();
    expect(values.get("ipvs")).toBe("the kernel of node-1, node-2 has no ip_vs");
  });

  it("go with what a fingerprint adds to each node", () => {
    const facts = readNodeFacts(fingerprints[0] ?? {});
    expect([...facts.keys()]).toEqual(["node-1", "node-2"]);
    expect(facts.get("node-1")?.memoryBytes).toBeGreaterThan(2 ** 30);
    expect(facts.get("node-1")?.mtus).toContainEqual(["eth0", 1500]);
  });
});

describe("capabilities of a cluster that allows little", () => {
  const why = "measuring pods";
  const found = readCapabilities({
    rights: {
      measure: {
        allowed: false,
        missing: [
          `create pods in podmeter: ${why}`,
          `delete pods in podmeter: ${why}`,
          "get configmaps kube-proxy in the whole cluster: the mode",
          "something that is worded anew",
        ],
      },
    },
    not_looked_at: "rights to measure are missing, so no pod was started",
    refusals: [{ what: "no node takes measuring pods", mend: "make one ready" }],
    modes: { encapsulation: { why_not: "host access is not allowed" } },
  });

  it("tell what is missing, verbs on one resource together", () => {
    expect(found.rights[0]?.missing).toEqual([
      { verbs: ["create", "delete"], resource: "pods", where: "podmeter", why },
      { verbs: ["get"], resource: "configmaps kube-proxy", where: null, why: "the mode" },
      { verbs: [], resource: "", where: null, why: "something that is worded anew" },
    ]);
  });

  it("tell why nothing more is known, without making anything up", () => {
    expect(found.notLookedAt).toMatch(/no pod was started/);
    expect(found.refusals).toEqual([
      { what: "no node takes measuring pods", mend: "make one ready" },
    ]);
    expect(found.room).toBeNull();
    expect(found.cni).toBeNull();
    expect(found.sharedHost).toBeNull();
    expect(found.axes[0]).toMatchObject({ observed: null, values: [] });
    expect(found.axes[0]?.whyNot).toBe("host access is not allowed");
  });
});

it("capabilities of a newer API show what is not known here, and survive other shapes", () => {
  const found = readCapabilities({ nodes: "many", rights: null, ebpf: { tc: true }, room: null });
  expect(found.nodes).toEqual([]);
  expect(found.rights).toEqual([]);
  expect(found.room).toEqual({ services: null, freeClusterIps: null, freeNodePorts: null });
  expect(found.others).toEqual([["ebpf", '{"tc":true}']]);
});
