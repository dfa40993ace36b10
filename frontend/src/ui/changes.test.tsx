import { MantineProvider } from "@mantine/core";
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { expect, it } from "vitest";
import type { Schemas } from "~/api/types";
import { EnvironmentChanges, TurnedVerdicts } from "./changes";

const TURNS: Schemas["VerdictChanges"] = {
  turned: [
    {
      key: {
        metric: "throughput",
        subject: "",
        unit: "ratio",
        direction: "higher",
        point: { encapsulation: "vxlan", path: "pod-pod" },
        against: { encapsulation: "host-gw", path: "pod-pod" },
      },
      value: 0.99,
      low: 0.98,
      high: 1.01,
      n: 12,
      verdict: "same",
      code: "effect",
      parameters: { before: "worse" },
    },
  ],
  both: 6,
  undecided: 2,
};

const RUN = "5ad6ec66-f0cc-4a79-9abd-5d0f7ef1a1a2";

const show = (what: ReactNode) => render(<MantineProvider env="test">{what}</MantineProvider>);

async function showLinked(what: ReactNode) {
  const router = createRouter({
    routeTree: createRootRoute({ component: () => what }),
    history: createMemoryHistory({ initialEntries: ["/"] }),
  });
  show(<RouterProvider router={router as never} />);
  await router.load();
}

it("says what a verdict was, what it is now, and against what, and leads there", async () => {
  await showLinked(<TurnedVerdicts turns={TURNS} runId={RUN} />);
  const link = await screen.findByRole("link");
  expect(link.getAttribute("href")).toBe(`/runs/${RUN}?tab=results`);
  const line = screen.getByRole("listitem").textContent;
  expect(line).toMatch(/^Worse.*Same.*Throughput: .*VXLAN.*, against .*host-gw$/i);
  expect(
    screen.getByText(/^Both runs reached 6 verdicts .* 1 changed; 2 are undecided/),
  ).toBeTruthy();
});

it("says nothing where the runs have no verdict on the same cases", () => {
  show(<TurnedVerdicts turns={{ turned: [], both: 0, undecided: 0 }} runId={RUN} />);
  expect(screen.queryByText(/verdict/)).toBeNull();
});

it("tells what stood and what stands, and that there is more", () => {
  const differences = Array.from({ length: 14 }, (_, number) => ({
    field: `nodes.${number}.kernel`,
    baseline: "6.12.0",
    contender: number === 0 ? null : "6.18.0",
    axis: null,
  }));
  show(<EnvironmentChanges differences={differences} />);
  expect(screen.getAllByRole("listitem")[0]?.textContent).toContain("unknown");
  expect(screen.getAllByRole("listitem")[1]?.textContent).toContain("6.12.0");
  expect(screen.getByText("and 2 more fields")).toBeTruthy();
});
