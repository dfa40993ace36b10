import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Schemas } from "~/api/types";
import { reportOf } from "~/charts/report/example";
import type { Axis } from "~/queries/kinds";
import { Interval, mainEffects } from "./live_intervals";

interface Shown {
  main?: boolean;
  ratio?: number | null;
  ends?: [number, number] | null;
}

const effect = (
  verdict: string,
  path: string,
  { main = true, ratio = 1.1, ends = [1, 1.2] }: Shown = {},
): Schemas["Finding"] =>
  ({
    code: `mode_${verdict}`,
    metric: "throughput",
    point: { path },
    text: verdict,
    evidence: {
      kind: "rows",
      rows: ["ratio", "difference", "median", "median"].map((code, place) => ({
        key: {
          ...{ metric: "throughput", subject: "", unit: "ratio", direction: "higher" },
          point: { path, encapsulation: "vxlan" },
          against: { path, encapsulation: "host-gw" },
        },
        value: code === "ratio" ? ratio : 1,
        low: ends?.[0] ?? null,
        high: ends?.[1] ?? null,
        n: 6,
        verdict: code === "ratio" ? verdict : null,
        code,
        parameters: { main, side: place === 2 ? "baseline" : "contender" },
      })),
    },
  }) as unknown as Schemas["Finding"];

const PATH = {
  name: "path",
  control: "node-node",
  control_for: ["encapsulation"],
  control_with: {},
} as unknown as Axis;

function effectsOf(...findings: Schemas["Finding"][]) {
  const report = reportOf([]);
  report.findings = findings;
  return mainEffects(report, [PATH]);
}

it("shows main effects that have an interval, those that are open first and controls last", () => {
  const effects = effectsOf(
    effect("undecided", "node-node"),
    effect("better", "pod-pod"),
    effect("same", "pod-node", { main: false }),
    effect("undecided", "node-pod"),
    effect("worse", "pod-service-pod", { ratio: null }),
  );
  expect(effects.map(({ point, control }) => [point.path, control])).toEqual([
    ["node-pod", false],
    ["pod-pod", false],
    ["node-node", true],
  ]);
});

function shown(finding: Schemas["Finding"]) {
  const [one] = effectsOf(finding);
  if (one === undefined) throw new Error("no effect");
  render(
    <MantineProvider env="test">
      <Interval {...one} reach={0.5} />
    </MantineProvider>,
  );
  return screen.getByRole("listitem").textContent ?? "";
}

it("shows no interval before there is one", () => {
  const text = shown(effect("undecided", "pod-pod", { ratio: 0.79, ends: null }));
  expect(text).toContain("-21\u202f% (no interval yet)");
  expect(text).not.toContain("[");
});

it("calls a control a control, not an effect that is undecided", () => {
  const text = shown(effect("undecided", "node-node"));
  expect(text).toContain("Control");
  expect(text).not.toMatch(/undecided/i);
});

it("takes for a control only what lies at all of its places", () => {
  const axes = [{ ...PATH, control_with: { direction: "forward" } }] as unknown as Axis[];
  const report = reportOf([]);
  report.findings = [effect("undecided", "node-node")];
  const [one] = mainEffects(report, axes);
  expect(one?.control).toBe(false);
});

it("names cases by what tells them apart", () => {
  const of = (path: string) => {
    const one = effect("undecided", path);
    return { ...one, point: { ...one.point, protocol: "tcp" } };
  };
  expect(effectsOf(of("pod-pod"), of("node-pod")).map(({ point }) => point)).toEqual([
    { path: "pod-pod" },
    { path: "node-pod" },
  ]);
  expect(effectsOf(of("pod-pod")).map(({ point }) => point)).toEqual([{}]);
});
