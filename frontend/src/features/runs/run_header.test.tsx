import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { describe, expect, it } from "vitest";
import { type Me, meOptions, type Role } from "~/queries/accounts";
import type { RunDetail } from "~/queries/runs";
import { RunActions } from "./run_actions";
import { RunFacts } from "./run_facts";

const RUN = {
  id: "00000000-0000-4000-8000-000000000001",
  name: "VXLAN or host-gw",
  kind: "throughput",
  state: "finished",
  outcome: "failed",
  attempt: 2,
  labels: [],
  clusters: [{ cluster_id: null, cluster_uid: "uid", name: "frankfurt" }],
  experiment_id: null,
  created_at: "2026-11-29T10:00:00Z",
  started_at: "2026-11-29T10:00:00Z",
  finished_at: "2026-11-29T10:07:00Z",
  cancel_requested_at: null,
  conclude_requested_at: null,
  spec: { axes: [], repetition: {} },
} as unknown as RunDetail;

async function show(children: ReactNode, role: Role = "operator") {
  const client = new QueryClient();
  client.setQueryData(meOptions.queryKey, { role } as Me);
  const router = createRouter({
    routeTree: createRootRoute({ component: () => <div data-testid="shown">{children}</div> }),
    history: createMemoryHistory({ initialEntries: ["/"] }),
  });
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={client}>
        <RouterProvider router={router as never} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return screen.findByTestId("shown");
}

describe("what can be done with a run", () => {
  async function offered(role: Role) {
    await show(<RunActions run={RUN} />, role);
    await userEvent.click(await screen.findByRole("button", { name: "More" }));
    await screen.findByRole("menu");
    const named = ["Retry failed cases", "Delete run"];
    return named.filter((name) => screen.queryByText(name) !== null);
  }

  it("is offered to operators", async () => {
    expect(await offered("operator")).toEqual(["Retry failed cases", "Delete run"]);
  });

  it("is not offered to viewers, who may export it", async () => {
    expect(await offered("viewer")).toEqual([]);
    expect(screen.getByText("JSON").closest("a")?.getAttribute("href")).toBe(
      `/api/v1/runs/${RUN.id}/export?format=json`,
    );
  });
});

describe("the facts of a run", () => {
  async function told(run: RunDetail) {
    const { textContent } = await show(<RunFacts run={run} />);
    return textContent.replaceAll(/\s/g, " ");
  }

  it("say how long it took once it is over", async () => {
    const text = await told(RUN);
    expect(text).toContain("frankfurt (no longer registered)");
    expect(text).toContain("Attempt 2");
    expect(text).toContain("took 7 min");
  });

  it("say for how long it goes on until then", async () => {
    const running = { ...RUN, state: "running" as const, outcome: null, finished_at: null };
    const text = await told(running);
    expect(text).toMatch(/ for \d+ /);
    expect(text).not.toContain("took");
  });
});
