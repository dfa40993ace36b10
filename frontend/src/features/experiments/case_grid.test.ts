import { describe, expect, it } from "vitest";
import type { Point } from "~/api/types";
import { caseGrid } from "./case_grid";

const cases = (...points: Point[]) => points.map((point, index) => ({ key: `${index}`, point }));

describe("caseGrid", () => {
  it("puts numbers across, the other axes down, and what does not vary apart", () => {
    const grid = caseGrid(
      cases(
        { kube_proxy_mode: "iptables", services: 10, protocol: "tcp" },
        { kube_proxy_mode: "iptables", services: 500, protocol: "tcp" },
        { kube_proxy_mode: "nftables", services: 10, protocol: "tcp" },
        { kube_proxy_mode: "nftables", services: 500, protocol: "tcp" },
      ),
      ["kube_proxy_mode", "services"],
    );
    expect(grid.fixed).toEqual({ protocol: "tcp" });
    expect(grid.columnAxis).toBe("services");
    expect(grid.columns).toEqual([10, 500]);
    expect(grid.rows.map(({ point }) => point)).toEqual([
      { kube_proxy_mode: "iptables" },
      { kube_proxy_mode: "nftables" },
    ]);
  });

  it("puts down what has too many words to be read across", () => {
    const pairs = Array.from({ length: 30 }, (_, n) => `node-${n}~node-${n + 1}`);
    const both = pairs.flatMap((pair) => [
      { node_pair: pair, path: "pod-pod" },
      { node_pair: pair, path: "node-node" },
    ]);
    const grid = caseGrid(cases(...both), ["node_pair", "path"]);
    expect([grid.columnAxis, grid.rowAxes, grid.rows.length]).toEqual(["path", ["node_pair"], 30]);
    const alone = caseGrid(cases(...pairs.map((pair) => ({ node_pair: pair }))), ["node_pair"]);
    expect([alone.columnAxis, alone.rows.length]).toEqual([null, 30]);
  });

  it("leaves open what has no case, and an axis that some cases do not lie on", () => {
    const grid = caseGrid(
      cases(
        { services: 10, probe: "qps", target: "first" },
        { services: 20, probe: "qps", target: "first" },
        { services: 10, probe: "qps", target: "last" },
        { services: 10, probe: "climb" },
      ),
      ["services", "target", "probe"],
    );
    expect(grid.rowAxes).toEqual(["target", "probe"]);
    expect(grid.rows).toMatchObject([
      { point: { probe: "qps", target: "first" }, cells: [true, true] },
      { point: { probe: "qps", target: "last" }, cells: [true, false] },
      { point: { probe: "climb" }, cells: [true, false] },
    ]);
  });

  it("spends no column on an axis with one value, unless it tells cases apart", () => {
    const qps = { services: 10, probe: "qps", client: "outside" };
    const grid = caseGrid(cases(qps, { services: 10, probe: "climb" }), []);
    expect(grid).toMatchObject({ partly: { client: "outside" }, fixed: { services: 10 } });
    expect(caseGrid(cases(qps, { services: 10, probe: "qps" }), [])).toMatchObject({
      partly: {},
      rows: [{ point: { client: "outside" } }, { point: {} }],
    });
  });

  it("has one row for one case, and none for none", () => {
    expect(caseGrid(cases({ path: "pod-pod" }), [])).toMatchObject({
      fixed: { path: "pod-pod" },
      columnAxis: null,
      rows: [{ cells: [true] }],
    });
    expect(caseGrid([], []).rows).toEqual([]);
  });
});
