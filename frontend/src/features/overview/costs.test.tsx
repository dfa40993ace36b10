import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { MeasuredFloor } from "~/queries/clusters";
import type { ClusterCosts, FoundRun } from "~/queries/overview";
import { Costs } from "./costs";

let measured: MeasuredFloor[] = [];
vi.mock("~/api/client", async (load) => {
  const GET = () =>
    Promise.resolve({
      data: { runs_needed: 4, measured, to_measure: [] },
      response: new Response(),
    });
  return { ...(await load<typeof import("~/api/client")>()), api: { GET } };
});
// Everything is in sight.
vi.mock("@mantine/hooks", async (load) => ({
  ...(await load<typeof import("@mantine/hooks")>()),
  useInViewport: () => ({ ref: () => undefined, inViewport: true }),
}));

const curve = (mode: string, ...values: number[]) =>
  values.map((value, place) => ({
    key: {
      metric: "requests_per_second",
      subject: "",
      unit: "1/s",
      direction: "higher",
      point: { kube_proxy_mode: mode, target: "last", services: 10 ** (place + 1) },
      against: null,
    },
    value,
    low: value * 0.9,
    high: value * 1.1,
    n: 12,
    verdict: null,
    code: "median",
    parameters: { confidence: 0.95 },
  }));

const SCALE: FoundRun = {
  run_id: "00000000-0000-4000-8000-000000000001",
  name: "Ladder",
  kind: "service_scale",
  finished_at: "2026-01-01T00:00:00Z",
  headline: {
    sentences: [{ code: "overtakes", parameters: {}, text: "nftables takes the lead" }],
    caveats: [{ code: "shared_host", parameters: {}, text: "both nodes are one machine" }],
  },
  losses: [],
  curves: [
    {
      axis: "services",
      rows: [...curve("iptables", 10_000, 8_000, 4_000), ...curve("nftables", 9_000, 9_000, 9_000)],
      crossing: {
        key: {
          metric: "requests_per_second",
          subject: "",
          unit: "count",
          direction: "none",
          point: { kube_proxy_mode: "nftables", target: "last" },
          against: { kube_proxy_mode: "iptables", target: "last" },
        },
        value: 50,
        low: 10,
        high: 100,
        n: 72,
        verdict: null,
        code: "crossing",
        parameters: { axis: "services", contender_leads_after: true },
      },
    },
  ],
};
const PATHS: FoundRun = {
  ...SCALE,
  kind: "throughput",
  headline: { sentences: [{ code: "costs", parameters: {}, text: "VXLAN costs 26 %" }] },
  losses: ["pod-pod", "pod-service-pod"].map((path) => ({
    key: {
      metric: "throughput_loss",
      subject: "",
      unit: "ratio",
      direction: "lower",
      point: { path, protocol: "tcp", encapsulation: "vxlan" },
      against: { path: "node-node", protocol: "tcp", encapsulation: "vxlan" },
    },
    value: 0.26,
    low: 0.24,
    high: 0.28,
    n: 12,
    verdict: "worse",
    code: "loss",
    parameters: { confidence: 0.95 },
  })),
  curves: [],
};
const cluster = (name: string, ...runs: FoundRun[]): ClusterCosts => ({
  cluster_id: `00000000-0000-4000-8000-${name.padStart(12, "0")}`,
  name,
  runs,
});

async function show(clusters: ClusterCosts[]) {
  const root = createRootRoute({ component: () => <Costs clusters={clusters} /> });
  const router = createRouter({
    routeTree: root,
    history: createMemoryHistory({ initialEntries: ["/"] }),
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MantineProvider>
        <RouterProvider router={router as never} />
      </MantineProvider>
    </QueryClientProvider>,
  );
  await screen.findByRole("link", { name: clusters[0]?.name });
}

beforeEach(() => {
  measured = [];
});

describe("what the clusters cost", () => {
  it("says each run's headline and caveats, and draws the curves that cross", async () => {
    await show([cluster("1", SCALE)]);
    expect(screen.getByText("nftables takes the lead")).toBeTruthy();
    expect(screen.getByText("both nodes are one machine")).toBeTruthy();
    expect(screen.getByText(/ago$/)).toBeTruthy();
    const chart = screen.getByRole("img", { name: /^Requests per second/ });
    expect(chart.getAttribute("aria-label")).toMatch(/iptables 10.*k\/s \[9.*\] → 4/);
    expect(chart.getAttribute("aria-label")).toContain("cross between 10 and 100 (Service ports)");
    expect(chart.querySelectorAll("[data-whisker]")).toHaveLength(6);
    expect(chart.querySelectorAll("[data-crossing]")).toHaveLength(1);
    expect(chart.textContent).toContain("curves cross here");
    expect(screen.getByText(/higher is better/)).toBeTruthy();
  });

  it("writes each loss with its interval, and what tells it from the others", async () => {
    await show([cluster("1", PATHS)]);
    const table = screen.getByRole("table");
    // Of which mode, and of what else no row says, as all have it.
    expect(within(table).getByText("Protocol TCP · Encapsulation VXLAN")).toBeTruthy();
    const rows = within(table).getAllByRole("row");
    expect(rows.map((row) => row.textContent)).toEqual([
      "Path Pod → Pod, across nodes26.0\u202f% [24.0\u00a0to\u00a028.0\u202f%]",
      "Path Pod → Service → Pod26.0\u202f% [24.0\u00a0to\u00a028.0\u202f%]",
    ]);
  });

  it("tells the noise floor, or that there is none", async () => {
    await show([cluster("1", PATHS)]);
    expect(await screen.findByText(/not measured; needed to compare two runs/)).toBeTruthy();
  });

  it("takes the figure of the noise floor that most blocks tell", async () => {
    const of = (path: string, deviation: number, n: number) => ({
      key: {
        metric: "throughput",
        subject: "",
        unit: "ratio",
        direction: "none",
        point: { path },
        against: null,
      },
      value: deviation,
      low: deviation / 2,
      high: deviation * 2,
      n,
      verdict: null,
      code: "blocks",
    });
    measured = [
      {
        kind: "throughput",
        name: "Noise floor",
        seconds: 3,
        run_ids: ["a", "b"],
        days: 1,
        first_at: "2026-01-01T00:00:00Z",
        last_at: "2026-01-01T00:00:00Z",
        outdated: [],
        figures: [of("node-node", 0.5, 4), of("pod-pod", 0.012, 12)],
      },
    ];
    await show([cluster("1", PATHS)]);
    const said = await screen.findByText(/without any change/);
    expect(said.textContent).toContain("± 1.2\u202f% [0.6\u00a0to\u00a02.4\u202f%]");
    expect(said.textContent).toContain("2 runs");
  });

  it("shows those that were measured last, and the others when asked", async () => {
    const many = Array.from({ length: 30 }, (_, number) =>
      cluster(
        String(number),
        ...(number === 29 ? [{ ...PATHS, finished_at: "2026-02-01T00:00:00Z" }] : []),
      ),
    );
    const user = userEvent.setup();
    await show([many[29] as ClusterCosts, ...many.slice(0, 29)]);
    expect(screen.getAllByRole("heading", { level: 3 })).toHaveLength(8);
    expect(screen.getAllByRole("heading", { level: 3 })[0]?.textContent).toBe("29");
    await user.click(screen.getByRole("button", { name: "Show all 30 clusters" }));
    expect(screen.getAllByRole("heading", { level: 3 })).toHaveLength(30);
  });
});
