import { MantineProvider } from "@mantine/core";
import { fireEvent, render, screen, within } from "@testing-library/react";
import type { ComponentProps, ComponentType } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import type { Comparison, RunReport, Schemas } from "~/api/types";
import { matrix, reportOf } from "~/charts/report/example";
import { withRoom } from "~/charts/test_room";
import { comparison, effect, ladder } from "~/comparison_view/testing";
import { SnapshotPage } from "./snapshot_page";
import { answerOf, subjectOf } from "./subject";

/** The charts that were drawn since it was emptied, by what their keys are said to do. */
const drawn = vi.hoisted((): (string | undefined)[] => []);
vi.mock("recharts", async (load) => {
  const recharts = await load<typeof import("recharts")>();
  type Props = ComponentProps<typeof recharts.BarChart> & { "aria-label"?: string };
  const counted = (Chart: ComponentType<Props>) => (props: Props) => {
    drawn.push(props["aria-label"]);
    return <Chart {...props} />;
  };
  return {
    ...recharts,
    ComposedChart: counted(recharts.ComposedChart as ComponentType<Props>),
    BarChart: counted(recharts.BarChart as ComponentType<Props>),
  };
});

const MODES = ["iptables", "nftables"];
const VALUES = { requests_per_second: 9000, ab_request_mean: 0.01 };

/** An answer about a loss: its case is put together each time that it is read. */
const HEADLINE = {
  sentences: [
    {
      code: "losses",
      text: "nftables loses nothing",
      parameters: {
        path: { form: "path", along: { services: 10 }, besides: {} },
        metric: { form: "metric", metric: "requests_per_second" },
      },
    },
  ],
};

function report(): RunReport {
  const points = matrix({ kube_proxy_mode: MODES, services: [10, 1000, 5000] });
  const made = reportOf(points.map((point) => ({ point, values: VALUES })));
  const [against, point] = [points[0] ?? {}, points[3] ?? {}];
  const finding = {
    ...{ code: "mode_worse", metric: "requests_per_second", point: { services: 10 }, text: "" },
    evidence: { kind: "rows", rows: effect(9000, 8000, { key: { point, against } }) },
  } as unknown as Schemas["Finding"];
  return { ...made, headline: HEADLINE, findings: [finding] };
}

function compared(): Comparison {
  const made = comparison({ kube_proxy_mode: "iptables" }, [
    ladder([10, 1000, 5000], "nftables", () => ({ effects: [effect(9000, 8000)] })),
  ]);
  return { ...made, headline: HEADLINE } as Comparison;
}

async function show(part: { run: RunReport } | { comparison: Comparison }): Promise<void> {
  const content = {
    subject: "run" in part ? "run" : "comparison",
    taken_at: "2026-11-22T00:00:00Z",
    method: { runs: [], environments: [], version: 9 },
    ...{ run: null, comparison: null, withheld: [], kept: [], ...part },
  } as unknown as Schemas["SnapshotContent"];
  const snapshot = { title: "Shared", expires_at: null, content } as Schemas["PublicSnapshot"];
  const [Subject, Answer] = await Promise.all([subjectOf(content), answerOf(content)]);
  render(
    <MantineProvider env="test">
      <SnapshotPage token="t" snapshot={snapshot} Subject={Subject} Answer={Answer} />
    </MantineProvider>,
  );
  expect(drawn.length).toBeGreaterThan(1);
  drawn.length = 0;
}

beforeEach(() => {
  drawn.length = 0;
  history.replaceState(null, "", "/");
  return withRoom();
});

it("draws no chart of a run again for one that is shown as a table", async () => {
  await show({ run: report() });
  const chart = screen.getByRole("region", { name: "Requests per second" });
  fireEvent.click(within(chart).getByRole("radio", { name: "Table" }));
  expect(await within(chart).findByRole("table")).toBeTruthy();
  expect(drawn).toEqual([]);
});

it("draws the charts of a run that show a metric once for another one", async () => {
  await show({ run: report() });
  fireEvent.change(screen.getByLabelText("Metric"), { target: { value: "ab_request_mean" } });
  await screen.findByRole("region", { name: /^Request time under load/ });
  // The answer, and the chart of the evidence; not the rounds that it was decided by.
  expect(drawn).toHaveLength(2);
});

it("draws no chart of a comparison again for what its table is narrowed to", async () => {
  await show({ comparison: compared() });
  fireEvent.change(screen.getByLabelText("Verdict"), { target: { value: "same" } });
  expect(await screen.findByText(/^No effect/)).toBeTruthy();
  expect(drawn).toEqual([]);
});
