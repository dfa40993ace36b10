import { MantineProvider } from "@mantine/core";
import { fireEvent, render, screen, within } from "@testing-library/react";
import { useState } from "react";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Row } from "~/api/rows";
import { i18next } from "~/i18n";
import { textMessage } from "~/i18n/text_message";
import type { ChartView } from "../view";
import { lossRow, matrix, reportOf } from "./example";
import { ReportExplorer } from "./report_explorer";

const report = reportOf(
  matrix({
    kube_proxy_mode: ["iptables", "nftables"],
    services: [10, 1000, 5000],
    target: ["first", "last"],
  }).map((point) =>
    point.kube_proxy_mode === "nftables" && point.services === 5000
      ? { point, status: "skipped", reason: textMessage("no kernel support") }
      : { point, values: { requests_per_second: 1234, node_cpu: 0.25 } },
  ),
);
const found = { metric: "requests_per_second", point: { target: "last" }, text: "as the API says" };
const curveRow = (
  code: string,
  figure: Pick<Row, "value" | "low" | "high">,
  against: Row["key"]["against"] = null,
  point: Row["key"]["point"] = {},
): Row => ({
  key: {
    ...{ metric: "requests_per_second", subject: "", unit: "ratio", direction: "higher" },
    ...{ point, against },
  },
  ...figure,
  ...{ n: 12, verdict: null, code, parameters: { axis: "services" } },
});
const [nothing, first, other] = [
  { value: null, low: null, high: null },
  { kube_proxy_mode: "iptables" },
  { kube_proxy_mode: "nftables" },
];
const sideRows = [first, other].map(
  (point, place): Row => ({
    ...curveRow("change", { value: 1, low: 0.9, high: 1.1 }, null, point),
    parameters: { axis: "services", shape: "flat", side: place === 0 ? "baseline" : "contender" },
  }),
);
const difference: Row = {
  ...curveRow("curve_difference", nothing, first, other),
  parameters: { axis: "services", xs: [10, 1000, 5000], degrades_more: null },
};
const crossing: Row = {
  ...curveRow("crossing", { value: 100, low: 10, high: 1000 }, first, other),
  parameters: { axis: "services", contender_leads_after: true },
};
/** What a mode does, between the modes that its points differ in. */
const effectRows = (point: Row["key"]["point"], against: Row["key"]["point"]): Row[] => [
  {
    ...curveRow("ratio", { value: 0.9, low: 0.8, high: 1.1 }, against, point),
    verdict: "undecided",
    parameters: { reason: "interval_too_wide", main: true, p: 0.2 },
  },
  curveRow("shift", nothing, against, point),
  ...["baseline", "contender"].map((side) => ({
    ...curveRow("median", nothing),
    parameters: { side, values: [] },
  })),
];
report.findings = [
  { ...found, code: "mode_undecided", evidence: { kind: "rows", rows: effectRows(other, first) } },
  {
    ...found,
    code: "crossover",
    evidence: { kind: "rows", rows: [...sideRows, difference, crossing] },
  },
  {
    ...found,
    code: "curve_falls",
    evidence: {
      kind: "rows",
      rows: [
        {
          ...curveRow("change", { value: 0.7, low: 0.6, high: 0.75 }),
          parameters: {
            axis: "services",
            xs: [10, 5000],
            shape: "falls",
            p: 0.003,
            controlled: true,
          },
        },
      ],
    },
  },
  {
    ...found,
    code: "loss_unknown",
    evidence: {
      kind: "rows",
      rows: [
        {
          ...lossRow({}, { value: null, low: null, high: null }),
          parameters: { warnings: [{ code: "two_nics" }] },
        },
      ],
    },
  },
  { ...found, code: "mode_worse", evidence: { kind: "rows", rows: effectRows({}, {}) } },
  {
    ...found,
    code: "of_a_newer_api",
    evidence: { kind: "gate", gate: { verdict: "", differences: [] } },
  },
];

function Explorer({
  onView,
  given = {},
}: {
  onView: (view: ChartView) => void;
  given?: ChartView;
}) {
  const [view, setView] = useState(given);
  return (
    <MantineProvider env="test">
      <ReportExplorer
        report={report}
        view={view}
        onView={(next) => {
          setView(next);
          onView(next);
        }}
        caseHref={(id) => `#case-${id}`}
      />
    </MantineProvider>
  );
}

beforeAll(() => i18next.changeLanguage("en"));

describe("ReportExplorer", () => {
  it("says first what is clear, and has cases without a value in the chart's table, never as 0", async () => {
    render(<Explorer onView={() => undefined} />);
    const findings = screen.getByRole("region", { name: "Findings" });
    within(findings).getByText(/^nftables becomes better in Requests per second .* 10 and 1,000/);
    within(findings).getByText(
      /falls from 10 to 5,000 .*, against the control of each rung: -30 % \[-40, -25\], p = 0.003/,
    );
    within(findings).getByText(/is not available: the two used different NICs/);
    expect(within(findings).queryByText(/is undecided/)).toBeNull();
    fireEvent.click(within(findings).getByRole("button", { name: "Show all 6 findings" }));
    await within(findings).findByText(
      /neither clearly within the threshold nor clearly beyond it\) in .*: -10 % \[-20, \+10\]/,
    );
    // What it does not know yet, or was not told enough of, is said as the API says it.
    expect(within(findings).getAllByText("as the API says")).toHaveLength(2);

    const chart = screen.getByRole("region", { name: "Requests per second" });
    fireEvent.click(within(chart).getByRole("radio", { name: "Table" }));
    const table = await within(chart).findByRole("table");
    const skipped = within(table).getAllByText("skipped")[0]?.closest("tr");
    expect(skipped?.textContent).toContain("no kernel support");
    const cells = [...(skipped?.querySelectorAll("td") ?? [])].map((cell) => cell.textContent);
    expect(cells[2]).toBe("skipped");
  });

  it("hands the whole view on, and draws the metric that was chosen", async () => {
    const views: ChartView[] = [];
    render(<Explorer onView={(view) => views.push(view)} />);
    fireEvent.change(await screen.findByLabelText("Split into charts by"), {
      target: { value: "target" },
    });
    expect(views.at(-1)).toEqual({ facet: "target" });
    await screen.findByRole("region", { name: "Requests per second · last Service" });
    fireEvent.change(screen.getByLabelText("Metric"), { target: { value: "node_cpu" } });
    expect(views.at(-1)?.metric).toBe("node_cpu");
    await screen.findByRole("region", { name: /^Node CPU/ });
  });

  it("keeps in the view which charts are shown as tables", () => {
    const views: ChartView[] = [];
    const first = render(<Explorer onView={(view) => views.push(view)} />);
    const choose = (shown: string) =>
      fireEvent.click(
        within(screen.getByRole("region", { name: "Requests per second" })).getByRole("radio", {
          name: shown,
        }),
      );
    choose("Table");
    const withTable = views.at(-1) ?? {};
    choose("Chart");
    expect(views.at(-1)?.tables).toBeUndefined();
    first.unmount();

    render(<Explorer onView={() => undefined} given={withTable} />);
    const chart = screen.getByRole("region", { name: "Requests per second" });
    expect(within(chart).getByRole("table").textContent).toContain("no kernel support");
  });

  it("names every case of the metric, with a link", () => {
    render(<Explorer onView={() => undefined} />);
    const table = screen.getByRole("region", { name: "Summaries" });
    expect(within(table).getAllByRole("link")).toHaveLength(10);
    expect(within(table).getAllByRole("link")[0]?.getAttribute("href")).toBe("#case-1");
  });
});

describe("charts of one metric", () => {
  // What is drawn depends on the room there is, and jsdom gives none.
  beforeEach(() => {
    vi.spyOn(HTMLElement.prototype, "getBoundingClientRect").mockImplementation(function (
      this: HTMLElement,
    ) {
      const plot = this.classList.contains("recharts-wrapper");
      return new DOMRect(0, 0, plot ? 800 : 20, plot ? 300 : 12);
    });
    return () => vi.restoreAllMocks();
  });

  it.each<[string, Record<string, (string | number)[]>]>([
    ["bars", { path: ["node-node", "pod-pod"] }],
    ["curves", { services: [10, 1000, 5000] }],
  ])("say which direction is better, %s", (_, axes) => {
    const measured = reportOf(
      matrix({ kube_proxy_mode: ["iptables", "nftables"], ...axes }).map((point) => ({
        point,
        values: { requests_per_second: 1234, convergence: 0.25 },
      })),
    );
    const directions = ["higher", "lower"] as const;
    const shown: typeof measured = {
      ...measured,
      metrics: measured.metrics.map((one, place) => ({
        ...one,
        direction: directions[place] ?? "none",
      })),
    };
    for (const [place, name] of (["requests_per_second", "convergence"] as const).entries()) {
      const { container, unmount } = render(
        <MantineProvider env="test">
          <ReportExplorer report={shown} view={{ metric: name }} onView={() => undefined} />
        </MantineProvider>,
      );
      const charts = [...container.querySelectorAll("svg.recharts-surface")];
      expect(charts.length).toBeGreaterThan(0);
      for (const chart of charts) {
        expect(chart.textContent).toContain(`${directions[place]} is better`);
        expect(chart.textContent).not.toContain(`${directions[1 - place]} is better`);
      }
      unmount();
    }
  });

  it("share their scale, however far apart their values are", () => {
    const speeds = { tcp: 9e9, udp: 1e9 };
    const shown = reportOf(
      matrix({ protocol: ["tcp", "udp"], path: ["node-node", "pod-pod"] }).map((point) => ({
        point,
        values: { throughput: speeds[point.protocol as "tcp"] },
      })),
    );
    const { container } = render(
      <MantineProvider env="test">
        <ReportExplorer report={shown} view={{}} onView={() => undefined} />
      </MantineProvider>,
    );
    const axes = [...container.querySelectorAll(".recharts-xAxis-tick-labels")].map((labels) =>
      [...labels.querySelectorAll("text")].map((text) => [
        text.textContent,
        text.getAttribute("x"),
      ]),
    );
    expect(axes).toHaveLength(2);
    expect(axes[0]?.map(([label]) => label)).toContain("8");
    expect(axes[1]).toEqual(axes[0]);
  });
});
