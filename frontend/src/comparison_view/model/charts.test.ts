import { describe, expect, it } from "vitest";
import type { Comparison } from "~/api/types";
import { caseAt, comparison, effect, ladder, pairAt } from "../testing";
import { changeBars, curvesOf, facetsOf, isRelative, type Say } from "./charts";
import { layoutOf } from "./layout";
import { type ComparedMetric, metricsOf } from "./metrics";
import { type Sides, sidesOf } from "./sides";
import { spotsOf, spotsWith } from "./spots";

const MODE = { kube_proxy_mode: "iptables" };
const say: Say = {
  point: (point, axes) =>
    axes.flatMap((axis) => (axis in point ? [`${axis} ${point[axis]}`] : [])).join(" · "),
  why: (why) => why.because,
};

function read(found: Comparison, view = {}, name = "requests_per_second") {
  const sides: Sides = sidesOf(found, {
    point: (point) => say.point(point, Object.keys(point)),
    value: (_, value) => String(value),
    moment: (at) => at,
  });
  const metric = metricsOf(found).find((one) => one.metric === name) as ComparedMetric;
  const spots = spotsWith(spotsOf(found), metric.key);
  const layout = layoutOf(found, spots, view);
  return { sides, metric, spots, layout };
}

describe("curves of a comparison", () => {
  it("are one for each side over the ladder, in ascending order, on a log scale where it spans", () => {
    const found = comparison(MODE, [
      ladder([1000, 10], "ipvs", (count) => ({ effects: [effect(1000 - count / 10, 900)] })),
      ladder([1000, 10], "nftables", () => ({ effects: [effect(950, 800)] })),
    ]);
    const { sides, metric, spots, layout } = read(found);
    expect(layout).toMatchObject({ x: "services", numeric: true, xScale: "log", series: [] });
    const curves = curvesOf(spots, layout, sides, metric, say);
    expect(curves.map((one) => one.label)).toEqual(["iptables", "ipvs", "nftables"]);
    expect(curves.map((one) => one.points.map((point) => point.x))).toEqual([
      [10, 1000],
      [10, 1000],
      [10, 1000],
    ]);
    expect(curves[2]?.points.map((point) => point.figure?.value)).toEqual([800, 800]);
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
    const { sides, metric, spots, layout } = read(comparison(MODE, [alone, failed]));
    const [baseline, ipvs, nftables] = curvesOf(spots, layout, sides, metric, say);
    expect(ipvs?.points.map(({ state, note }) => [state, note])).toEqual([
      ["measured", undefined],
      ["missing", "refused"],
      ["missing", "unpaired"],
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
    const other = effect(1, 2, { metric: "curl_total_mean", unit: "s", direction: "lower" });
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
    expect(read(found).layout).toMatchObject({ x: "path", numeric: false, facet: undefined });
    expect(read(found).layout.series).toEqual(["protocol", "streams"]);
  });

  it("takes what the address asks for, and ignores what is not there", () => {
    expect(read(found, { x: "streams", facet: "path" }).layout).toMatchObject({
      x: "streams",
      numeric: true,
      facet: "path",
      series: ["protocol"],
      xScale: "linear",
    });
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
    const { spots, layout } = read(many);
    expect(layout.facet).toBe("protocol");
    expect(facetsOf(spots, layout).map((one) => [one.value, one.spots.length])).toEqual([
      ["tcp", 6],
      ["udp", 6],
    ]);
    expect(read(many, { facet: "none" }).layout.facet).toBeUndefined();
  });
});

describe("bars of changes", () => {
  it("are shares of the baseline around zero, with their intervals", () => {
    const found = comparison(MODE, [
      ladder([10, 20], "ipvs", () => ({ effects: [effect(100, 90)] })),
    ]);
    const { sides, metric, spots, layout } = read(found);
    const [group] = changeBars(spots, layout, sides, metric, isRelative(spots, metric), say);
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
    const { sides, metric, spots, layout } = read(found);
    expect(isRelative(spots, metric)).toBe(false);
    const groups = changeBars(spots, layout, sides, metric, false, say);
    expect(groups.map((one) => one.bars[0]?.figure?.value)).toEqual([-10, 5]);
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
});
