import { MantineProvider } from "@mantine/core";
import { render } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Schemas } from "~/api/types";
import { PlanFigures } from "./plan_in_short";
import { plannedCases } from "./planned_cases";

const modes = { kube_proxy_mode: "ipvs" };
const setUp = { key: "s", point: modes };
const own = { key: "o", point: { ...modes, path: "pod-pod" } };
const blocks = [{ position: 0, round: 1, modes, cases: 2, trials: 5 }];

const figure = (cases: Schemas["PlannedCase"][]) => {
  const plan = { cases, blocks, trials: 5, measuring_seconds: 1, switching_seconds: 1 };
  const { container } = render(
    <MantineProvider>
      <PlanFigures plan={{ ...plan, expected_seconds: 2 } as unknown as Schemas["PlanView"]} />
    </MantineProvider>,
  );
  return container.querySelector("[data-figure=cases]")?.textContent;
};

it("leaves what only sets up a block's modes out of the cases of the kind", () => {
  expect(plannedCases({ cases: [setUp, own], blocks })).toEqual({ own: [own], setUps: [setUp] });
  expect(plannedCases({ cases: [setUp, own], blocks: [] }).own).toEqual([setUp, own]);
});

it("counts cases as the matrix does, and beside them what sets modes up", () => {
  expect(figure([setUp, own])).toBe("1, and 1 that sets a mode up");
  expect(figure([own])).toBe("1");
});
