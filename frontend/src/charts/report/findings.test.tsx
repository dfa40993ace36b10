import { MantineProvider } from "@mantine/core";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { type Row, summariesOf } from "~/api/rows";
import type { Schemas } from "~/api/types";
import { lossRow, matrix, reportOf } from "./example";
import { Findings, ranked } from "./findings";
import { Losses } from "./losses";

type Finding = Schemas["Finding"];

/** `verdict` null: as it was kept before losses had one. */
function loss(low: number, high: number, verdict: string | null, code = "loss"): Finding {
  const point = { path: `${low}` };
  const row = lossRow(point, { value: (low + high) / 2, low, high, verdict });
  return {
    code,
    metric: "throughput_loss",
    point,
    text: `${low}`,
    evidence: { kind: "rows", rows: [row] },
  };
}

const badges = () => screen.getAllByRole("listitem").map((one) => one.textContent ?? "");

describe("findings of losses", () => {
  const findings = [
    loss(-0.05, 0.04, "undecided", "loss_undecided"),
    loss(-0.01, 0.02, null),
    loss(0.28, 0.35, "worse"),
    loss(-0.01, 0.01, "same", "loss_same"),
  ];

  it("have the badge of a loss only where it is clear, and those without it stand behind", async () => {
    render(
      <MantineProvider env="test">
        <Findings findings={findings} />
      </MantineProvider>,
    );
    expect(badges()[0]).toMatch(/^Loss/);
    fireEvent.click(screen.getByRole("button", { name: "Show all 4 findings" }));
    await waitFor(() => expect(badges()).toHaveLength(4));
    expect(badges().map((text) => /^(Loss undecided|Loss|Same)/.exec(text)?.[1])).toEqual([
      "Loss",
      "Same",
      "Loss undecided",
      "Loss undecided",
    ]);
    expect(ranked(findings).first).toBe(2);
  });
});

describe("a loss whose interval excludes zero and that is undecided", () => {
  it("says why, and not that there is no clear difference", () => {
    const finding = loss(0.08, 0.57, "undecided", "loss_undecided");
    if (finding.evidence.kind !== "rows") throw new Error("a loss has rows");
    for (const row of finding.evidence.rows) {
      row.parameters = { ...row.parameters, reason: "too_few_rounds" };
    }
    render(
      <MantineProvider env="test">
        <Findings findings={[finding]} />
      </MantineProvider>,
    );
    expect(badges()[0]).toMatch(/is undecided \(too few rounds for a verdict\): /);
  });
});

describe("findings of links", () => {
  it("name the slowest one with both figures, and none where none stands out", () => {
    const key = { metric: "throughput", subject: "", unit: "bit/s", direction: "higher" };
    const rowOf = (code: string, node_pair: string, value: number): Row => ({
      key: { ...key, point: { path: "pod-pod", node_pair } },
      value,
      ...{ low: value * 0.99, high: value * 1.01, n: 12, verdict: null },
      code,
      parameters: {},
    });
    const link = (code: string, verdict: string, what = "link", shared = "a~b"): Finding => ({
      code,
      metric: "throughput",
      point: { path: "pod-pod" },
      text: code,
      evidence: {
        kind: "rows",
        rows: [
          {
            ...rowOf("link_apart", "a~b", 0.2),
            verdict,
            parameters: {
              ...{ what, shared, axis: "node_pair", links: 12, members: what === "link" ? 1 : 3 },
              ...{ p: 0.001, adjusted_p: 0.002, looked_at: 2 },
              reason: verdict === "worse" ? "clear_effect" : "interval_too_wide",
            },
          },
          rowOf("median", "a~b", 2e9),
          rowOf("median", "b~c", 9e9),
        ],
      },
    });
    render(
      <MantineProvider env="test">
        <Findings
          findings={[
            link("no_link_apart", "undecided"),
            link("slowest_links", "worse", "from_node", "a"),
            link("slowest_link", "worse"),
          ]}
        />
      </MantineProvider>,
    );
    const [slowest, together, none] = badges();
    expect(slowest).toMatch(
      /^Slowest linka → b is the slowest of 12 links in Throughput.*2\.00.*against 9\.0.* of b → c, p\u00a0=\u00a00\.002/,
    );
    expect(together).toMatch(/^Slow linksThe links from a are slower than the other 9 /);
    expect(none).toMatch(
      /^No slow linkNo link of 12 is clearly slower .*the interval is too wide/i,
    );
  });
});

describe("findings of MTUs", () => {
  const path = (contender_mtu: number, cases: Schemas["PathMtuEvidence"]["cases"]): Finding => ({
    code: contender_mtu === 1500 ? "mtu_same" : "mtu_differs",
    metric: "",
    point: {},
    text: `path ${contender_mtu}`,
    evidence: {
      ...{ kind: "path_mtu", axis: "encapsulation", baseline_value: "host-gw" },
      ...{ contender_value: "vxlan", cases, baseline_mtu: 1500, contender_mtu },
      ...{ baseline_overhead: 0, contender_overhead: 50 },
      ...{ baseline_share: 0.97333, contender_share: 0.97241, ratio: 0.96575 },
      ...{ baseline_share_timestamped: 0.96533, contender_share_timestamped: 0.96414 },
      ratio_timestamped: 0.96547,
    },
  });
  const pods = (code: string, wrapped_in: string): Finding => ({
    code,
    metric: "",
    point: {},
    text: code,
    evidence: {
      ...{ kind: "pod_mtu", cases: [{}], pod_mtu: 1500, most: 1450, difference: 50 },
      ...{ wrapped_in, overhead: wrapped_in === "" ? 0 : 50, nic_mtu: 1500 },
    },
  });

  it("say what full packets carry, of which cases, and what leaves a node whole", () => {
    const four = ["p", "q", "r", "s"].map((path) => ({ path }));
    render(
      <MantineProvider env="test">
        <Findings
          findings={[
            pods("mtu_unused", ""),
            path(1500, [{}]),
            path(1450, four),
            pods("mtu_too_large", "VXLAN"),
          ]}
        />
      </MantineProvider>,
    );
    expect(badges().map((one) => one.replaceAll("\u202f", " "))).toEqual([
      "MTU too largeThe pods' MTU of 1500 is 50 bytes too large (their route: 50 bytes of VXLAN encapsulation, over a NIC with MTU 1500): full packets are fragmented or dropped",
      "Packet sizeThe path MTU is 1450 with VXLAN; with host-gw it is 1500 (Path p; Path q; Path r; 1 more). Of a full TCP packet, 97.2 % and 97.3 % are payload (96.4 % and 96.5 % with timestamps). At the same packet rate, VXLAN carries 3.43 % less because of packet size alone",
      "MTU smaller than possibleThe pods' MTU of 1500 could be 50 bytes larger (their route: no encapsulation, over a NIC with MTU 1500)",
      "Same packet sizeThe path MTU is 1500 with both VXLAN and host-gw, although encapsulation adds 50 and 0 bytes: packet size does not explain a difference between them",
    ]);
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
