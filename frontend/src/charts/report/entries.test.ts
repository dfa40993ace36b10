import { describe, expect, it } from "vitest";
import { type Row, summariesOf } from "~/api/rows";
import type { Point, RunReport } from "~/api/types";
import { textMessage } from "~/i18n/text_message";
import { layoutOf } from "../layout/layout";
import { panelsOf } from "../layout/panels";
import type { ChartView } from "../view";
import { centredEntries, entryAxes, lossEntries, metricEntries, type Say } from "./entries";
import { lossRow, matrix, type Outcome, reportOf } from "./example";

const say: Say = { note: ({ code }) => code, unmeasured: ({ reason }) => reason?.text ?? "" };

function select(report: RunReport, metric: string, view: ChartView = {}) {
  const entries = metricEntries(report, metric, say);
  const axes = entryAxes(report, entries);
  const layout = layoutOf(axes, view);
  return { layout, panels: panelsOf(entries, axes, layout, (_, value) => String(value ?? "")) };
}

const LADDER = [10, 5000, 30_000];
const scale = matrix({
  kube_proxy_mode: ["iptables", "nftables"],
  services: LADDER,
  target: ["first", "last"],
  probe: ["qps", "qps-keepalive"],
});
const climbs = matrix({
  kube_proxy_mode: ["iptables", "nftables"],
  services: LADDER,
  probe: ["climb"],
});

describe("a ladder of Services", () => {
  const report = reportOf([
    ...scale.map((point) =>
      point.kube_proxy_mode === "iptables" && point.services === 30_000 && point.target === "last"
        ? { point, reason: textMessage("conntrack is full") }
        : { point, values: { requests_per_second: 1000 } },
    ),
    ...climbs.map((point) => ({ point, status: "failed" })),
  ]);
  const { layout, panels } = select(report, "requests_per_second");

  it("is along x, modes and targets are curves, each probe is a chart", () => {
    expect(layout).toEqual({
      x: "services",
      series: ["kube_proxy_mode", "target"],
      facets: ["probe"],
      numeric: true,
    });
    expect(panels.map(({ title }) => title)).toEqual(["qps", "qps-keepalive"]);
    expect(panels[0]?.curves.map(({ label }) => label)).toEqual([
      "iptables · first",
      "iptables · last",
      "nftables · first",
      "nftables · last",
    ]);
    expect(panels[0]?.curves[0]?.points.map(({ x }) => x)).toEqual(LADDER);
  });

  it("has the failed case as a point without a value, never as zero", () => {
    expect(panels[0]?.curves[1]?.points.at(-1)).toEqual({
      x: 30_000,
      figure: null,
      n: 0,
      state: "failed",
      note: "conntrack is full",
    });
  });

  it("leaves out cases that have no such metric: a climb has no QPS", () => {
    const points = panels.flatMap(({ curves }) => curves.flatMap((curve) => curve.points));
    expect(points).toHaveLength(scale.length);
  });

  it("follows the view, and ignores what names nothing", () => {
    const asked = select(report, "requests_per_second", {
      x: "kube_proxy_mode",
      facet: "services",
      series: ["target"],
    });
    expect(asked.layout).toEqual({
      x: "kube_proxy_mode",
      series: ["target"],
      facets: ["services", "probe"],
      numeric: false,
    });
    expect(asked.panels).toHaveLength(6);
    expect(select(report, "requests_per_second", { x: "nonsense", facet: "x" }).layout).toEqual(
      layout,
    );
    expect(select(report, "requests_per_second", { facet: "none" }).panels).toHaveLength(1);
  });
});

describe("paths", () => {
  const points = matrix({
    encapsulation: ["vxlan", "host-gw"],
    path: ["node-node", "pod-pod", "node-pod"],
    protocol: ["tcp", "udp"],
    streams: [1, 8],
  });

  it("are groups of bars, a chart for each protocol", () => {
    const report = reportOf(points.map((point) => ({ point, values: { throughput: 1e9 } })));
    const { layout, panels } = select(report, "throughput");
    expect(layout).toEqual({
      x: "path",
      series: ["encapsulation", "streams"],
      facets: ["protocol"],
      numeric: false,
    });
    expect(panels[0]?.groups.map(({ label }) => label)).toEqual([
      "node-node",
      "pod-pod",
      "node-pod",
    ]);
    expect(panels[0]?.groups[0]?.bars.map(({ label }) => label)).toEqual([
      "vxlan · 1",
      "vxlan · 8",
      "host-gw · 1",
      "host-gw · 8",
    ]);
  });

  it("of a mode that failed altogether stay visible, skipped and pending apart", () => {
    const report = reportOf(
      points.map((point) => {
        if (point.encapsulation === "vxlan") return { point, values: { throughput: 1e9 } };
        return { point, status: point.streams === 8 ? "skipped" : "pending" };
      }),
    );
    const bars = select(report, "throughput").panels[0]?.groups[0]?.bars;
    expect(bars?.map(({ state }) => state)).toEqual(["measured", "measured", "missing", "skipped"]);
  });

  it("keep UDP out of what TCP alone has", () => {
    const report = reportOf(
      points.map((point): Outcome => {
        if (point.path === "node-pod") return { point };
        const throughput = { throughput: 1e9 };
        return {
          point,
          values: point.protocol === "tcp" ? { ...throughput, retransmits: 3 } : throughput,
        };
      }),
    );
    const entries = metricEntries(report, "retransmits", say);
    expect(new Set(entries.map(({ point }) => point.protocol))).toEqual(new Set(["tcp"]));
    expect(entries.filter(({ state }) => state === "failed")).toHaveLength(4);
  });

  it("have losses, the baseline's own path left out, failed ones kept", () => {
    const report = reportOf(
      points.map((point) =>
        point.path === "node-pod" ? { point } : { point, values: { throughput: 1e9 } },
      ),
    );
    report.losses = summariesOf(report.summaries)
      .map(({ median }) => median.key.point)
      .filter(({ path }) => path === "pod-pod")
      .map((point) => lossRow(point, { value: -0.02, low: -0.04, high: 0.01 }));
    const entries = lossEntries(report, "throughput_loss", say);
    const paths = entries.map(
      ({ point, state, figure }) => `${point.path} ${state} ${figure?.value}`,
    );
    expect(new Set(paths)).toEqual(
      new Set(["pod-pod measured -0.02", "node-pod failed undefined"]),
    );
  });
});

describe("a metric of several nodes", () => {
  it("has the node's role as an axis", () => {
    const report = reportOf(
      matrix({ path: ["pod-pod", "node-pod"] }).flatMap((point) => [
        { point, values: { node_cpu: 0.2 }, subject: "client" },
        { point, values: { node_cpu: 0.4 }, subject: "server" },
      ]),
    );
    const { layout, panels } = select(report, "node_cpu");
    expect(layout.facets).toEqual(["subject"]);
    expect(panels.map(({ title }) => title)).toEqual(["client", "server"]);
  });
});

describe("a run of one case", () => {
  it("is a single bar", () => {
    const report = reportOf([{ point: { path: "pod-pod" }, values: { throughput: 1 } }]);
    const { layout, panels } = select(report, "throughput");
    expect(layout.x).toBeNull();
    expect(panels.map(({ groups }) => groups.map(({ bars }) => bars.length))).toEqual([[1]]);
  });
});

describe("parts of a whole", () => {
  const PARTS = ["look-up", "connect"];
  const cases = matrix({
    encapsulation: ["vxlan", "host-gw"],
    path: ["pod-pod", "pod-service-pod"],
  });
  const outcomes = cases.flatMap((point) =>
    // As they come: by their names.
    PARTS.toSorted().map((subject): Outcome => ({ point, subject, values: { parts: 0.5 } })),
  );
  const report = reportOf(outcomes);
  const entries = metricEntries(report, "parts", say);
  const axes = entryAxes(report, entries, PARTS);
  const panels = panelsOf(
    entries,
    axes,
    layoutOf(axes, {}),
    (_, value) => String(value ?? ""),
    PARTS,
  );

  it("are on no axis: each group is one whole, whose bars are its parts in their order", () => {
    expect([...axes.keys()]).toEqual(["encapsulation", "path"]);
    expect(panels).toHaveLength(1);
    expect(panels[0]?.stacked).toBe(true);
    expect(panels[0]?.groups.map(({ label }) => label)).toEqual([
      "pod-pod · vxlan",
      "pod-pod · host-gw",
      "pod-service-pod · vxlan",
      "pod-service-pod · host-gw",
    ]);
    const named = panels[0]?.groups.map(({ bars }) => bars.map(({ label }) => label));
    expect(named).toEqual(cases.map(() => PARTS));
  });
});

describe("the centres that differences are computed from", () => {
  const points = matrix({ kube_proxy_mode: ["iptables", "nftables"] });
  const [iptables = {}, nftables = {}] = points;
  const key = { metric: "requests_per_second", subject: "", unit: "1/s", direction: "higher" };
  const figure = { low: null, high: null, n: 6, verdict: null };
  const side = (name: string, point: Point, centre: number | null): Row[] => {
    const row = { ...figure, key: { ...key, point, against: null } };
    const parameters = { side: name };
    const median = { ...row, value: 10, code: "median", parameters };
    return centre === null
      ? [median]
      : [median, { ...row, value: centre, code: "centre", parameters }];
  };
  const withEffects = (...centres: (number | null)[][]): RunReport => {
    const report = reportOf(
      points.map((point) => ({ point, values: { requests_per_second: 10 } })),
    );
    const findings = centres.map(([baseline = null, contender = null]) => {
      const judged = { ...figure, value: 1, key: { ...key, point: nftables, against: iptables } };
      const parameters = {};
      const rows = [
        { ...judged, code: "ratio", parameters },
        { ...judged, code: "shift", parameters },
        ...side("baseline", iptables, baseline),
        ...side("contender", nftables, contender),
      ];
      return { code: "mode_better", evidence: { kind: "rows", rows } };
    });
    return { ...report, findings: findings as unknown as RunReport["findings"] };
  };
  const centred = (report: RunReport) =>
    centredEntries(
      report,
      "requests_per_second",
      metricEntries(report, "requests_per_second", say),
    )?.map((entry) => entry.figure?.value);

  it("stand in place of medians", () => {
    expect(centred(withEffects([9, 12]))).toEqual([9, 12]);
  });

  it("are not shown where a case has none, or several that differ", () => {
    expect(centred(withEffects())).toBeUndefined();
    expect(centred(withEffects([9, null]))).toBeUndefined();
    expect(centred(withEffects([9, 12], [9, 13]))).toBeUndefined();
    expect(centred(withEffects([9, 12], [9, 12]))).toEqual([9, 12]);
  });
});
