import { describe, expect, it } from "vitest";
import { caseTable, sections } from "./grid";
import { aBlock, aCase } from "./samples";

const MODES = ["kube_proxy_mode"];

describe("sections", () => {
  it("gather the rounds of a set of modes, in the order they run", () => {
    const cases = [
      aCase(0, { kube_proxy_mode: "iptables", services: 10 }),
      aCase(1, { kube_proxy_mode: "ipvs", services: 10 }),
      aCase(2, { kube_proxy_mode: "ipvs", services: 1000 }),
    ];
    const blocks = [
      aBlock(3, { round: 2, modes: { kube_proxy_mode: "ipvs" } }),
      aBlock(0, { round: 1, modes: { kube_proxy_mode: "iptables" } }),
      aBlock(1, { round: 1, modes: { kube_proxy_mode: "ipvs" } }),
      aBlock(2, { round: 2, modes: { kube_proxy_mode: "iptables" } }),
    ];
    const found = sections(blocks, cases);
    expect(found.map((one) => one.modes)).toEqual([
      { kube_proxy_mode: "iptables" },
      { kube_proxy_mode: "ipvs" },
    ]);
    expect(found.map((one) => one.blocks.map((block) => block.position))).toEqual([
      [0, 2],
      [1, 3],
    ]);
    expect(found.map((one) => one.cases.map((one) => one.id))).toEqual([[1], [2, 3]]);
  });

  it("have what setting the modes up took apart from the cases", () => {
    const cases = [
      aCase(0, { kube_proxy_mode: "iptables" }),
      aCase(1, { kube_proxy_mode: "iptables", path: "pod-pod" }),
      aCase(2, { kube_proxy_mode: "ipvs", path: "pod-pod" }),
    ];
    const blocks = [
      aBlock(0, { modes: { kube_proxy_mode: "iptables" } }),
      aBlock(1, { modes: { kube_proxy_mode: "ipvs" } }),
    ];
    const found = sections(blocks, cases);
    expect(found.map(({ setUp }) => setUp?.id ?? null)).toEqual([1, null]);
    expect(found.map((one) => one.cases.map(({ id }) => id))).toEqual([[2], [3]]);
  });

  it("without modes hold every case", () => {
    const cases = [aCase(0, { path: "node-node" }), aCase(1, { path: "pod-pod" })];
    expect(sections([aBlock(0)], cases)[0]?.cases).toEqual(cases);
  });
});

describe("caseTable", () => {
  it("puts the axis that changes fastest along the columns", () => {
    const cases = [
      aCase(0, { path: "node-node", protocol: "tcp" }),
      aCase(1, { path: "node-node", protocol: "udp" }),
      aCase(2, { path: "pod-pod", protocol: "tcp" }),
      aCase(3, { path: "pod-pod", protocol: "udp" }),
    ];
    const table = caseTable(cases, ["path", "protocol"], MODES);
    expect(table.column).toBe("protocol");
    expect(table.columns).toEqual(["tcp", "udp"]);
    expect(table.rowAxes).toEqual(["path"]);
    expect(table.rows.map((row) => row.cells.map((one) => one?.id))).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it("says once what all cases share, and never what their section says", () => {
    const cases = [
      aCase(0, { kube_proxy_mode: "ipvs", streams: 1, path: "node-node" }),
      aCase(1, { kube_proxy_mode: "ipvs", streams: 1, path: "pod-pod" }),
    ];
    const table = caseTable(cases, ["path", "streams"], MODES);
    expect(table.fixed).toEqual([["streams", 1]]);
    expect(table.column).toBeNull();
    expect(table.rowAxes).toEqual(["path"]);
    expect(table.rows).toHaveLength(2);
  });

  it("leaves holes where the matrix has no case, and loses none", () => {
    const cases = [
      aCase(0, { path: "node-node", protocol: "tcp", streams: 1 }),
      aCase(1, { path: "node-node", protocol: "tcp", streams: 8 }),
      aCase(2, { path: "node-node", protocol: "udp", streams: 1 }),
      aCase(3, { path: "pod-pod", protocol: "tcp", streams: 1 }),
      aCase(4, { path: "pod-pod", protocol: "tcp", streams: 8 }),
      aCase(5, { path: "pod-pod", protocol: "udp", streams: 1 }),
    ];
    const table = caseTable(cases, ["path", "protocol", "streams"], MODES);
    const ids = table.rows.flatMap((row) => row.cells.flatMap((one) => one?.id ?? []));
    expect(ids.sort()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(table.column).toBe("path");
  });

  it("keeps cases apart that do not lie on every axis", () => {
    const cases = [
      aCase(0, { probe: "climb", services: 10 }),
      aCase(1, { probe: "qps", services: 10, target: "first" }),
      aCase(2, { probe: "qps", services: 10, target: "last" }),
    ];
    const table = caseTable(cases, ["services", "probe", "target"], MODES);
    const found = table.rows.flatMap((row) => row.cells).filter((one) => one !== null);
    expect(found).toHaveLength(3);
  });
});
