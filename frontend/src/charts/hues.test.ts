import { describe, expect, it } from "vitest";
import registry from "~/api/registry.json";
import { hueOf } from "./hues";
import type { Axes } from "./layout/axes";
import type { Entry } from "./layout/entry";
import { panelsOf } from "./layout/panels";
import { LIGHT } from "./palette";

const MODES = ["kube_proxy_mode", "encapsulation"] as const;
const axis = (name: string, values: readonly (string | number)[]) =>
  [name, { name, scope: "cluster_mode", role: "series", values }] as const;
const entry = (point: Entry["point"]): Entry => ({
  caseId: 1,
  point,
  figure: { value: 1 },
  n: 1,
  state: "measured",
});
const name = (_: string, value: unknown) => String(value);

describe("hues", () => {
  it.each(MODES)("gives every mode of %s a colour of its own", (mode) => {
    const values = registry.axis_values[mode];
    const hues = values.map((value) => hueOf(mode, value) % LIGHT.series.length);
    expect(new Set(hues).size).toBe(values.length);
  });

  it("gives a mode the same colour in a chart of two modes, of three, along x and of curves", () => {
    const two: Axes = new Map([
      axis("path", ["a", "b"]),
      axis("kube_proxy_mode", ["iptables", "nftables"]),
    ]);
    const three: Axes = new Map([axis("kube_proxy_mode", ["nftables", "ipvs", "iptables"])]);
    const along: Axes = new Map([
      axis("services", [10, 1000]),
      axis("kube_proxy_mode", ["ipvs", "nftables"]),
    ]);
    const bars = panelsOf(
      ["iptables", "nftables"].map((kube_proxy_mode) => entry({ path: "a", kube_proxy_mode })),
      two,
      { x: "path", series: ["kube_proxy_mode"], facets: [], numeric: false },
      name,
    );
    const alone = panelsOf(
      ["nftables", "ipvs", "iptables"].map((kube_proxy_mode) => entry({ kube_proxy_mode })),
      three,
      { x: "kube_proxy_mode", series: [], facets: [], numeric: false },
      name,
    );
    const curves = panelsOf(
      ["ipvs", "nftables"].map((kube_proxy_mode) => entry({ services: 10, kube_proxy_mode })),
      along,
      { x: "services", series: ["kube_proxy_mode"], facets: [], numeric: true },
      name,
    );
    const hues = [
      bars[0]?.groups[0]?.bars.find(({ label }) => label === "nftables")?.hue,
      alone[0]?.groups.find(({ label }) => label === "nftables")?.bars[0]?.hue,
      curves[0]?.curves.find(({ label }) => label === "nftables")?.hue,
    ];
    expect(new Set(hues)).toEqual(new Set([hueOf("kube_proxy_mode", "nftables")]));
  });

  it("tells a second axis by the shade", () => {
    const axes: Axes = new Map([
      axis("path", ["a"]),
      axis("kube_proxy_mode", ["iptables", "nftables"]),
      axis("streams", [1, 8]),
    ]);
    const entries = ["iptables", "nftables"].flatMap((kube_proxy_mode) =>
      [1, 8].map((streams) => entry({ path: "a", kube_proxy_mode, streams })),
    );
    const series = ["kube_proxy_mode", "streams"];
    const [panel] = panelsOf(
      entries,
      axes,
      { x: "path", series, facets: [], numeric: false },
      name,
    );
    const looks = panel?.groups[0]?.bars.map(({ hue, shade }) => [hue, shade]);
    expect(looks).toEqual([
      [0, 0],
      [0, 1],
      [2, 0],
      [2, 1],
    ]);
  });
});
