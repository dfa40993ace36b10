import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Schemas } from "~/api/types";
import { PlanImpact, SwitchImpact } from "./plan_impact";

const IMPACT: Schemas["PlanView"]["impact"] = [
  { code: "impact_outage", params: {}, text: "rules are missing for about 290 s" },
  { code: "impact_pods", params: {}, text: "runs up to 2 measuring pods" },
];

const show = (element: React.ReactNode) => render(<MantineProvider>{element}</MantineProvider>);

it("lists all that a run does to the cluster", () => {
  show(<PlanImpact impact={IMPACT} />);
  expect(screen.getByText("What a run does to the cluster")).toBeTruthy();
  expect(screen.getByText("Rules are missing for about 290 s")).toBeTruthy();
  expect(screen.getByText("Runs up to 2 measuring pods")).toBeTruthy();
});

it("says for consent what switches do", () => {
  const { container } = show(<SwitchImpact impact={IMPACT} />);
  expect(container.textContent).toContain("Rules are missing");
  expect(container.textContent).not.toContain("measuring pods");
});

it("says nothing of a plan without any", () => {
  const { container } = show(<PlanImpact impact={[]} />);
  expect(container.querySelector("[data-impact]")).toBeNull();
});
