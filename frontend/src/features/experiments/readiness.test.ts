import { describe, expect, it } from "vitest";
import type { Schemas } from "~/api/types";
import { said } from "~/i18n/said";
import { capabilitiesNeeded, findingsOn } from "./readiness";

const PLAN = {
  access: ["pod", "host_admin"],
  switches: [
    { block: 0, axis: "kube_proxy_mode", value: "iptables" },
    { block: 1, axis: "kube_proxy_mode", value: "ipvs" },
  ],
  cases: [{ key: "a", point: { services: 1000 } }],
  host_names: [],
} as unknown as Schemas["PlanView"];

const CLUSTER = {
  cluster_uid: "b7",
  allow_mode_switch: true,
  needs_restore: false,
  needs_restore_reason: null,
  restored_elsewhere: false,
  preflight_error: null,
  capabilities: {
    rights: {
      measure: { allowed: true, missing: [] },
      host_access: { allowed: true, missing: [] },
      switch_modes: { allowed: true, missing: [] },
    },
    room: { services: 3, free_cluster_ips: 4000, free_node_ports: 100 },
    modes: { kube_proxy_mode: { observed: "iptables", values: { iptables: null, ipvs: null } } },
  },
} as unknown as Schemas["ClusterView"];

const MISSING = {
  verbs: ["patch"],
  resource: "configmaps",
  group: "",
  namespace: null,
  name: "kube-proxy",
  why: said("kube-proxy's mode"),
};

const found = (cluster: object, plan: object = {}) =>
  findingsOn({ ...CLUSTER, ...cluster }, { ...PLAN, ...plan });
const seen = (capabilities: object) =>
  found({ capabilities: { ...CLUSTER.capabilities, ...capabilities } });

describe("findingsOn", () => {
  it("finds nothing where all is well", () => expect(found({})).toEqual([]));

  it("refuses what the API would refuse", () => {
    expect(found({ allow_mode_switch: false })).toMatchObject([{ what: "switch_not_allowed" }]);
    expect(found({ allow_mode_switch: false }, { switches: [] })).toEqual([]);
    const asked = { host_names: ["shop.example"] };
    expect(found({ allow_host_names: true }, asked)).toEqual([]);
    expect(found({ allow_host_names: false }, asked)).toEqual([
      { level: "refused", what: "host_names_not_allowed", value: "shop.example", reasons: [] },
    ]);
    expect(found({ needs_restore: true, needs_restore_reason: said("worker died") })).toMatchObject(
      [{ level: "refused", what: "needs_restore", reasons: [said("worker died")] }],
    );
    expect(found({ restored_elsewhere: true })).toEqual([
      { level: "refused", what: "restored_elsewhere", reasons: [] },
    ]);
  });

  it("does not pretend to know what no preflight has seen", () => {
    expect(found({ cluster_uid: null, capabilities: null })).toMatchObject([
      { level: "refused", what: "never_reached" },
      { level: "unknown", what: "not_preflighted" },
    ]);
    expect(seen({ modes: {}, not_looked_at: said("no image") })).toMatchObject([
      { level: "unknown", reasons: [said("no image")] },
    ]);
  });

  it("names the rights that are missing, of what the plan needs alone", () => {
    const rights = { switch_modes: { allowed: false, missing: [MISSING] } };
    expect(seen({ rights })).toMatchObject([
      { what: "rights_missing", subject: "switch_modes", rights: [MISSING] },
    ]);
    expect(
      found(
        { capabilities: { ...CLUSTER.capabilities, rights } },
        { switches: [], access: ["pod"] },
      ),
    ).toEqual([]);
  });

  it("names the modes that cannot be switched to, and why", () => {
    const values = { iptables: null, ipvs: said("the kernel of node b has no ip_vs") };
    expect(seen({ modes: { kube_proxy_mode: { values } } })).toMatchObject([
      {
        what: "cannot_switch_to",
        value: "ipvs",
        reasons: [said("the kernel of node b has no ip_vs")],
      },
    ]);
    expect(
      seen({ modes: { kube_proxy_mode: { why_not: said("no kube-proxy"), values: {} } } }),
    ).toMatchObject([{ what: "cannot_switch", reasons: [said("no kube-proxy")] }]);
    expect(seen({ modes: { kube_proxy_mode: { values: { iptables: null } } } })).toMatchObject([
      { what: "cannot_switch_to", value: "ipvs", reasons: [] },
    ]);
  });

  it("says that a client outside the cluster is needed, where no worker may be one", () => {
    const missing = { outside_missing: said("no worker is declared as one") };
    expect(found({}, missing)).toMatchObject([
      { level: "refused", what: "no_outside_client", reasons: [missing.outside_missing] },
    ]);
    expect(found({}, { outside_missing: null })).toEqual([]);
  });

  it("counts the room for Services, node ports where they are used", () => {
    expect(seen({ room: { free_cluster_ips: 200, free_node_ports: null } })).toMatchObject([
      { what: "no_room", value: 200 },
    ]);
    const nodePorts = [{ key: "a", point: { services: 1000, service_type: "NodePort" } }];
    expect(found({}, { cases: nodePorts })).toMatchObject([{ what: "no_room", value: 100 }]);
  });
});

describe("capabilitiesNeeded", () => {
  it("asks for no more than the plan needs", () => {
    expect(capabilitiesNeeded(PLAN)).toEqual(["measure", "host_access", "switch_modes"]);
    expect(capabilitiesNeeded({ ...PLAN, switches: [], access: ["pod"] })).toEqual(["measure"]);
  });
});
