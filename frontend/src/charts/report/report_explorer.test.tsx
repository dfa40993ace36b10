import { MantineProvider } from "@mantine/core";
import { fireEvent, render, screen, within } from "@testing-library/react";
import { useState } from "react";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { i18next } from "~/i18n";
import { textMessage } from "~/i18n/text_message";
import type { ChartView } from "../view";
import { matrix, reportOf } from "./example";
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
report.findings = ["mode_undecided", "crossover", "curve_falls"].map((code) => ({
  code,
  metric: "requests_per_second",
  point: { target: "last" },
  text: `the API's text on ${code}`,
  evidence: { kind: "rows", rows: [] },
}));

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
    within(findings).getByText("the API's text on crossover");
    within(findings).getByText("the API's text on curve_falls");
    expect(within(findings).queryByText(/mode_undecided/)).toBeNull();
    fireEvent.click(within(findings).getByRole("button", { name: "Show all 3 findings" }));
    await within(findings).findByText("the API's text on mode_undecided");

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
