import { MantineProvider } from "@mantine/core";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { summariesOf } from "~/api/rows";
import type { Schemas } from "~/api/types";
import { lossRow, matrix, reportOf } from "./example";
import { Findings, ranked } from "./findings";
import { Losses } from "./losses";

type Finding = Schemas["Finding"];

/** As the API gives one; the UI shows its text as it is, whatever it rests on. */
const findingOf = (code: string, text: string): Finding => ({
  code,
  metric: "throughput",
  point: { path: "pod-pod" },
  text,
  evidence: { kind: "rows", rows: [] },
});

const lines = () => screen.getAllByRole("listitem").map((one) => one.textContent ?? "");

describe("a run's findings", () => {
  const findings = [
    findingOf("loss_undecided", "path 1 is undecided"),
    findingOf("of_a_newer_api", "something new"),
    findingOf("loss", "Pod→Pod 相比节点→节点损失 28 % [20 至 35 %] 的吞吐量"),
    findingOf("loss_same", "path 3 is the same"),
  ];

  it("are the API's texts behind badges, the clear ones first and alone until one asks", async () => {
    render(
      <MantineProvider env="test">
        <Findings findings={findings} />
      </MantineProvider>,
    );
    expect(ranked(findings).first).toBe(2);
    expect(lines()).toHaveLength(2);
    fireEvent.click(screen.getByRole("button", { name: "Show all 4 findings" }));
    await waitFor(() => expect(lines()).toHaveLength(4));
    expect(lines()).toEqual([
      "LossPod→Pod 相比节点→节点损失 28 % [20 至 35 %] 的吞吐量",
      "Samepath 3 is the same",
      "Loss undecidedpath 1 is undecided",
      "of_a_newer_apisomething new",
    ]);
  });

  it("are two where nothing is clear", () => {
    const open = ["a", "b", "c"].map((text) => findingOf("mode_undecided", text));
    expect(ranked(open)).toEqual({ findings: open, first: 2 });
  });
});

describe("losses without what they are against", () => {
  it("say so instead of an empty chart", () => {
    const report = reportOf(
      matrix({ path: ["pod-pod", "node-pod"] }).map((point) => ({
        point,
        values: { throughput: 1e9 },
      })),
    );
    report.losses = summariesOf(report.summaries).map(({ median }) =>
      lossRow(median.key.point, { value: null, low: null, high: null }),
    );
    render(
      <MantineProvider env="test">
        <Losses report={report} />
      </MantineProvider>,
    );
    screen.getByText(
      /against Node → Node: unknown, because the run has no counted trials of Node → Node/,
    );
    expect(document.querySelector("svg.recharts-surface")).toBeNull();
  });
});
