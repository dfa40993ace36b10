import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import type { Comparison } from "~/api/types";
import { ComparisonCharts } from "./comparison_charts";
import { ComparisonView } from "./comparison_view";
import type { ComparedCase } from "./model/compared_cases";
import type { ComparedMetric } from "./model/metrics";
import { comparison, effect, ladder } from "./testing";

/** The charts that were drawn since it was emptied: their metric, and how many cases it had. */
const drawn = vi.hoisted((): [metric: string, cases: number][] => []);
vi.mock("./facet_charts", () => ({
  FacetCharts: ({ metric, spots }: { metric: ComparedMetric; spots: ComparedCase[] }) => {
    drawn.push([metric.metric, spots.length]);
    return <p>{metric.metric}</p>;
  },
}));

const compared = (metric: string): Comparison =>
  comparison({ kube_proxy_mode: "iptables" }, [
    ladder([10, 1000], "nftables", () => ({ effects: [effect(90, 80, { key: { metric } })] })),
  ]);
const REST = { view: {}, onView: () => undefined };

it.each([
  [
    "the answer",
    (found: Comparison) => <ComparisonCharts {...REST} comparison={found} about="first" />,
  ],
  ["the evidence", (found: Comparison) => <ComparisonView {...REST} comparison={found} />],
])("draws no metric of the comparison before in %s", async (_, shown) => {
  const page = (found: Comparison) => <MantineProvider env="test">{shown(found)}</MantineProvider>;
  const { rerender } = render(page(compared("requests_per_second")));
  expect(await screen.findByText("requests_per_second")).toBeTruthy();
  drawn.length = 0;
  rerender(page(compared("ab_request_mean")));
  expect(await screen.findByText("ab_request_mean")).toBeTruthy();
  expect(drawn).toContainEqual(["ab_request_mean", 2]);
  expect(drawn.filter(([metric]) => metric !== "ab_request_mean")).toEqual([]);
});
