import { hueOf } from "~/charts/hues";
import type { Curve } from "~/charts/types";

/**
 * A result that is published in docs/explanation/articles.md ("iptables and IPVS with 10 to 30,000 Services"),
 * shown until the installation has one of its own. A test holds the figures against that page.
 */
export const EXAMPLE = {
  at: "2026-11-24T11:13:00Z",
  axis: "kube_proxy_mode",
  metric: "requests_per_second",
  rounds: 6,
  few: 10,
  many: 1_000,
  /** nftables against iptables, at `many`. */
  change: { value: 0.62, low: 0.48, high: 0.78 },
  modes: [
    {
      mode: "iptables",
      figures: [
        { value: 7.5e3, low: 6.8e3, high: 8.3e3 },
        { value: 4.7e3, low: 4.44e3, high: 5e3 },
      ],
    },
    {
      mode: "nftables",
      figures: [
        { value: 7.6e3, low: 7.1e3, high: 8.3e3 },
        { value: 7.7e3, low: 7.1e3, high: 8.2e3 },
      ],
    },
  ],
} as const;

export function exampleCurves(label: (mode: string) => string): Curve[] {
  return EXAMPLE.modes.map(({ mode, figures }) => ({
    key: mode,
    label: label(mode),
    hue: hueOf(EXAMPLE.axis, mode),
    shade: 0,
    points: figures.map((figure, place) => ({
      x: place === 0 ? EXAMPLE.few : EXAMPLE.many,
      figure: { ...figure, confidence: 0.95 },
      n: EXAMPLE.rounds,
      state: "measured",
    })),
  }));
}
