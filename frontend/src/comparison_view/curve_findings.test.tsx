import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Row } from "~/api/rows";
import { CurveFindings } from "./curve_findings";
import { metricsOf } from "./model/metrics";
import { comparison, effect, ladder } from "./testing";
import { useSides } from "./use_words";

/** The rows of two curves to the last Service, or to the pod itself, over `xs`. */
function curves(target: string, xs: number[]): Row[] {
  const key = { metric: "requests_per_second", subject: "", unit: "ratio", direction: "higher" };
  const [point, against] = ["ipvs", "iptables"].map((mode) => ({ target, kube_proxy_mode: mode }));
  const row = (code: string, parameters: Row["parameters"], own = {}): Row => ({
    key: { ...key, point: point ?? {}, ...own },
    value: 1,
    low: 0.9,
    high: 1.1,
    n: 12,
    verdict: null,
    code,
    parameters: { axis: "services", xs, ...parameters },
  });
  return [
    row("change", { side: "baseline", shape: "falls", p: 0.01 }),
    row("change", { side: "contender", shape: "flat", p: 0.5 }),
    row("curve_difference", { degrades_more: null }, { against }),
  ];
}

function Shown({ ranges }: { ranges: Record<string, number[]> }) {
  const one = ladder([10, 1000, 2000], "ipvs", () => ({ effects: [effect(100, 90)] }));
  one.curves = Object.entries(ranges).flatMap(([target, xs]) => curves(target, xs));
  const found = comparison({ kube_proxy_mode: "iptables" }, [one]);
  const [metric] = metricsOf(found);
  const sides = useSides(found);
  return metric && <CurveFindings comparison={found} sides={sides} metric={metric} />;
}

it("says once over which rungs curves are judged, or beside each where they differ", () => {
  const all = [10, 1000, 2000];
  const { unmount } = render(<Shown ranges={{ last: all, pod: all }} />, {
    wrapper: MantineProvider,
  });
  expect(screen.getByText(/^Curves, .* from 10 to 2,000$/)).toBeTruthy();
  expect(screen.queryByText(/^(?!Curves).* from 10 to 2,000$/)).toBeNull();
  unmount();
  render(<Shown ranges={{ last: [10, 1000], pod: all }} />, { wrapper: MantineProvider });
  expect(screen.queryByText(/^Curves, /)).toBeNull();
  expect(screen.getByText(/ from 10 to 1,000$/)).toBeTruthy();
  expect(screen.getByText(/ from 10 to 2,000$/)).toBeTruthy();
});
