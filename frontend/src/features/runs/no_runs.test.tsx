import { MantineProvider } from "@mantine/core";
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { NoRuns } from "./no_runs";
import type { Filters } from "./search";

async function show(filters: Filters) {
  const root = createRootRoute({ component: () => <NoRuns filters={filters} /> });
  const router = createRouter({
    routeTree: root,
    history: createMemoryHistory({ initialEntries: ["/"] }),
  });
  render(
    <MantineProvider env="test">
      <RouterProvider router={router as never} />
    </MantineProvider>,
  );
  return (await screen.findAllByRole("link")).map(({ textContent }) => textContent);
}

it("leads to the experiments where nothing ever ran, whatever could be asked for", async () => {
  expect(await show({ kind: undefined, state: undefined })).toContain("Experiments");
  expect(screen.queryByText("No run matches")).toBeNull();
});

it("leads to all runs where they were narrowed to none", async () => {
  expect(await show({ kind: "throughput" })).toEqual(["Show all runs"]);
});
