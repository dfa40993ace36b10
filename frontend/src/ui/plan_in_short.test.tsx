import { MantineProvider } from "@mantine/core";
import { render } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Schemas } from "~/api/types";
import { PlanFigures } from "./plan_in_short";
import { plannedCases } from "./planned_cases";

const modes = { kube_proxy_mode: "ipvs" };
const setUp = { key: "s", point: modes };
const own = { key: "o", point: { ...modes, path: "pod-pod" } };
const blocks = [{ position: 0, round: 1, modes, cases: 2, trials: 5, expected_seconds: 60 }];

function show(plan: Partial<Schemas["PlanView"]>) {
  const seconds = {
    around_seconds: 10,
    measuring_seconds: 1,
    switching_seconds: 1,
    expected_seconds: 12,
  };
  const repetition = { until_decided: null };
  const whole = { repetition, cases: [own], blocks, trials: 5, switches: [], ...seconds, ...plan };
  return render(
    <MantineProvider>
      <PlanFigures plan={whole as unknown as Schemas["PlanView"]} />
    </MantineProvider>,
  ).container;
}

const figure = (cases: Schemas["PlannedCase"][]) =>
  show({ cases }).querySelector("[data-figure=cases]")?.textContent;

it("leaves what only sets up a block's modes out of the cases of the kind", () => {
  expect(plannedCases({ cases: [setUp, own], blocks })).toEqual({ own: [own], setUps: [setUp] });
  expect(plannedCases({ cases: [setUp, own], blocks: [] }).own).toEqual([setUp, own]);
});

it("counts cases as the matrix does, and beside them what sets modes up", () => {
  expect(figure([setUp, own])).toBe("1, and 1 mode setup");
  expect(figure([own])).toBe("1");
});

it("says how long a switch is taken to last, and by what", () => {
  const switches = [{ block: 0, axis: "kube_proxy_mode", value: "ipvs" }];
  const seen = show({ switches, switch_seconds: 13, switches_seen: 12 });
  expect(seen.textContent).toMatch(
    /mode switch takes 13.s, longer with many Services, as .* latest blocks on this cluster \(12\)/,
  );
  const assumed = show({ switches, switch_seconds: 60, switches_seen: 0 });
  expect(assumed.textContent).toMatch(/Assumes that each mode switch takes (1.min|60.s)/);
  expect(show({ switch_seconds: 60, switches_seen: 0 }).textContent).not.toContain(
    "mode switch takes",
  );
});

it("says by what measuring is reckoned, and where a cluster took longer", () => {
  const slow = show({ measuring_pace: 2.789, blocks_seen: 12 });
  expect(slow.textContent).toMatch(/takes 2\.79 times the nominal time, .* cluster \(12\)/);
  const unknown = show({ measuring_pace: 1, blocks_seen: 0 });
  expect(unknown.textContent).toMatch(/Estimate for a typical cluster/);
});

it("says when a run ends that goes on until it is decided", () => {
  const until = { difference: 0.1, most_minutes: 30 };
  const repetition = { until_decided: until } as Schemas["PlannedRepetition"];
  const seen = show({ repetition });
  expect(seen.textContent).toContain("Total, at most about");
  expect(seen.textContent).toContain("as soon as every main case is decided");
  expect(seen.textContent).toContain("below 10");
  expect(show({}).textContent).toContain("Total, about");
});

it("plans no longer measuring than the longest time of the whole", () => {
  const until = { difference: 0.1, most_minutes: 30 };
  const shown = show({
    repetition: { rounds: 40, until_decided: until } as Schemas["PlanView"]["repetition"],
    ...{ measuring_seconds: 1860, switching_seconds: 540 },
    ...{ around_seconds: 60, expected_seconds: 1860 },
  });
  const text = (name: string) =>
    shown.querySelector(`[data-figure=${name}]`)?.textContent?.replaceAll("\u202f", " ");
  expect([text("measuring"), text("switching"), text("whole")]).toEqual([
    "23 min 15 s",
    "6 min 45 s",
    "31 min",
  ]);
  expect(shown.textContent).toMatch(/allows fewer rounds: all 40 would take 40.min/);
});

it("takes no rounding for a limit in time", () => {
  const until = { difference: 0.1, most_minutes: 30 };
  const shown = show({
    repetition: { rounds: 40, until_decided: until } as Schemas["PlanView"]["repetition"],
    ...{ measuring_seconds: 700.3, switching_seconds: 540.1 },
    ...{ around_seconds: 60, expected_seconds: 1300 },
  });
  expect(shown.textContent).toContain("Total, at most about");
  expect(shown.textContent).not.toContain("Its longest time allows fewer rounds");
});
