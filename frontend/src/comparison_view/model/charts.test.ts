import { describe, expect, it } from "vitest";
import type { Comparison } from "~/api/types";
import { bestXScale, type Layout } from "~/charts/layout/layout";
import { type NameValue, panelsOf } from "~/charts/layout/panels";
import { caseAt, comparison, effect, ladder, pairAt } from "../testing";
import {
  changeEntries,
  isRelative,
  namedSides,
  type Say,
  spotLayout,
  valueEntries,
  withSides,
} from "./charts";
import { comparedCasesOf, comparedCasesWith } from "./compared_cases";
import { type ComparedMetric, metricsOf } from "./metrics";
import { type Sides, sidesOf } from "./sides";

const MODE = { kube_proxy_mode: "iptables" };
const say: Say = (why) => why.because;
const name: NameValue = (axis, value) => `${axis} ${value}`;

function read(found: Comparison, view = {}, metricName = "requests_per_second") {
  const sides: Sides = sidesOf(found, {
    point: (point) =>
      Object.entries(point)
        .map(([axis, value]) => name(axis, value))
        .join(" · "),
    value: (_, value) => String(value),
    moment: (at) => at,
  });
  const metric = metricsOf(found).find((one) => one.metric === metricName) as ComparedMetric;
  const spots = comparedCasesWith(comparedCasesOf(found), metric.key);
  const { axes, layout } = spotLayout(found, spots, view);
  const drawn = (entries: typeof values, of: Layout) =>
    panelsOf(entries, axes, withSides(of), namedSides(sides, name));
  const values = valueEntries(spots, sides, metric, say);
  const relative = isRelative(spots, metric);
  const changes = changeEntries(spots, sides, metric, relative, say);
  return {
    sides,
    spots,
    axes,
    layout,
    relative,
    panels: drawn(values, layout),
    curves: drawn(values, layout)[0]?.curves ?? [],
    changes: drawn(changes, { ...layout, numeric: false })[0]?.groups ?? [],
  };
}

describe("curves of a comparison", () => {
  it("are one for each side over the ladder, in ascending order, on a log scale where it spans", () => {
    const found = comparison(MODE, [
      ladder([1000, 20, 10], "ipvs", (count) => ({ effects: [effect(1000 - count / 10, 900)] })),
      ladder([1000, 20, 10], "nftables", () => ({ effects: [effect(950, 800)] })),
    ]);
    const { axes, layout, curves } = read(found);
    expect(layout).toMatchObject({ x: "services", numeric: true, series: [] });
    expect(bestXScale(axes.get("services")?.values ?? [])).toBe("log");
    expect(curves.map((one) => one.label)).toEqual(["iptables", "ipvs", "nftables"]);
    expect(curves.map((one) => one.points.map((point) => point.x))).toEqual([
      [10, 20, 1000],
      [10, 20, 1000],
      [10, 20, 1000],
    ]);
    expect(curves[2]?.points.map((point) => point.figure?.value)).toEqual([800, 800, 800]);
  });

  it("show what failed, was refused or has no counterpart as that, never as a value", () => {
    const refused = ladder([10, 20], "ipvs", (count) =>
      count === 10 ? { effects: [effect(9, 8)] } : { comparability: "refused" },
    );
    const failed = ladder([10, 20, 30], "nftables", (count) => {
      if (count === 10) return { effects: [effect(9, 7)] };
      const point = { services: count, kube_proxy_mode: "nftables" };
      if (count === 20) {
        return { comparability: null, contender: caseAt(point, "failed", "no route") };
      }
      return { comparability: null, contender: caseAt(point, "skipped", "") };
    });
    const alone = {
      ...refused,
      unpaired_baseline: failed.pairs.slice(2).map((one) => one.baseline),
    };
    const [baseline, ipvs, nftables] = read(comparison(MODE, [alone, failed])).curves;
    expect(ipvs?.points.map(({ state, note }) => [state, note])).toEqual([
      ["measured", undefined],
      ["missing", "refused"],
      ["unpaired", "unpaired"],
    ]);
    expect(nftables?.points.map(({ state, note }) => [state, note])).toEqual([
      ["measured", undefined],
      ["failed", "case"],
      ["skipped", "case"],
    ]);
    for (const curve of [baseline, ipvs, nftables]) {
      expect(curve?.points.slice(1).map((point) => point.figure)).toEqual([null, null]);
    }
  });

  it("leave out cases at which only other metrics are measured", () => {
    const other = effect(1, 2, {
      key: { metric: "curl_total_mean", unit: "s", direction: "lower" },
    });
    const pairs = [10, 20].flatMap((services) => [
      pairAt({ services, probe: "qps" }, "ipvs", {
        effects: services === 10 ? [effect(9, 8)] : [],
      }),
      pairAt({ services, probe: "latency" }, "ipvs", { effects: services === 10 ? [other] : [] }),
    ]);
    const found = comparison(MODE, [{ ...ladder([], "ipvs", () => null), pairs }]);
    const { spots } = read(found);
    expect(spots.map((spot) => spot.point)).toEqual([
      { services: 10, probe: "qps" },
      { services: 20, probe: "qps" },
    ]);
  });
});

describe("the layout", () => {
  const pairs = ["a", "b", "c"].flatMap((path) =>
    ["tcp", "udp"].flatMap((protocol) =>
      [1, 8].map((streams) =>
        pairAt({ path, protocol, streams }, "ipvs", { effects: [effect(9, 8)] }),
      ),
    ),
  );
  const found = comparison(MODE, [{ ...ladder([], "ipvs", () => null), pairs }]);

  it("takes the axis with most values as x, the others as series", () => {
    expect(read(found).layout).toMatchObject({ x: "path", numeric: false, facets: [] });
    expect(read(found).layout.series).toEqual(["protocol", "streams"]);
  });

  it("takes what the address asks for, and ignores what is not there", () => {
    expect(read(found, { x: "streams", facet: "path" }).layout).toMatchObject({
      x: "streams",
      numeric: true,
      facets: ["path"],
      series: ["protocol"],
    });
    expect(bestXScale(read(found).axes.get("streams")?.values ?? [])).toBe("linear");
    expect(read(found, { x: "moon", facet: "path" }).layout).toMatchObject({ x: "path" });
  });

  it("makes a facet of its own accord where curves would be too many; not if told so", () => {
    const many = comparison(
      MODE,
      ["ipvs", "nftables"].map((mode) => ({
        ...ladder([], mode, () => null),
        pairs: pairs.map((one) => pairAt(one.shared, mode, { effects: [effect(9, 8)] })),
      })),
    );
    const { layout, panels } = read(many);
    expect(layout.facets).toEqual(["protocol"]);
    const marks = panels.map(({ title, groups }) => [title, groups.flatMap(({ bars }) => bars)]);
    // Six cases, each with its three sides.
    expect(marks.map(([title, bars]) => [title, bars?.length])).toEqual([
      ["protocol tcp", 18],
      ["protocol udp", 18],
    ]);
    expect(read(many, { facet: "none" }).layout.facets).toEqual([]);
  });

  it("follows what the comparison says of its axes: a chart for each protocol", () => {
    const said = {
      ...found,
      axis_facts: [{ name: "protocol", scope: "case" as const, role: "apart" as const }],
    };
    expect(read(said).layout).toMatchObject({
      x: "path",
      series: ["streams"],
      facets: ["protocol"],
    });
  });
});

describe("bars of changes", () => {
  it("are shares of the baseline around zero, with their intervals", () => {
    const found = comparison(MODE, [
      ladder([10, 20], "ipvs", () => ({ effects: [effect(100, 90)] })),
    ]);
    const [group] = read(found).changes;
    expect(group?.label).toBe("services 10");
    expect(group?.bars[0]).toMatchObject({ label: "ipvs", n: 5, state: "measured" });
    expect(group?.bars[0]?.figure?.value).toBeCloseTo(-0.1);
    expect(group?.bars[0]?.figure?.low).toBeCloseTo(-0.118);
  });

  it("are differences in the metric's unit where a share has no meaning somewhere", () => {
    const found = comparison(MODE, [
      ladder([10, 20], "ipvs", (count) => ({
        effects: [count === 10 ? effect(100, 90) : effect(0, 5, { ratio: null })],
      })),
    ]);
    const { relative, changes } = read(found);
    expect(relative).toBe(false);
    expect(changes.map((one) => one.bars[0]?.figure?.value)).toEqual([-10, 5]);
  });
});

describe("names of sides", () => {
  it("are the compared values, or the runs with what tells them apart", () => {
    const modes = comparison(MODE, [ladder([10], "ipvs", () => ({ effects: [effect(9, 8)] }))]);
    expect(read(modes).sides.all.map((one) => [one.short, one.full])).toEqual([
      ["iptables", "ladder: kube_proxy_mode iptables"],
      ["ipvs", "ladder: kube_proxy_mode ipvs"],
    ]);
    const runs = comparison({}, [
      { ...ladder([10], "iptables", () => ({ effects: [effect(9, 8)] })), compared_axes: [] },
    ]);
    const later = runs.contenders.map((one) => ({
      ...one,
      side: { ...one.side, where: {}, created_at: "later" },
    }));
    expect(read({ ...runs, contenders: later }).sides.all.map((one) => one.short)).toEqual([
      "ladder (2026-11-21T10:00:00Z)",
      "ladder (later)",
    ]);
  });

  it("are the clusters where no case is on the axis that is compared", () => {
    const found = comparison({}, [
      {
        ...ladder([10], "iptables", () => ({ effects: [effect(9, 8)] })),
        compared_axes: ["cluster"],
      },
    ]);
    const [one] = found.contenders;
    const elsewhere = {
      ...found,
      contenders: one ? [{ ...one, side: { ...one.side, clusters: ["b"] } }] : [],
    };
    expect(read(elsewhere).sides.all.map(({ short }) => short)).toEqual(["testbed", "b"]);
  });
});
