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

async function show(narrowed: boolean) {
  const root = createRootRoute({ component: () => <NoRuns narrowed={narrowed} /> });
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

it("leads to the experiments where nothing ever ran", async () => {
  expect(await show(false)).toContain("Experiments");
  expect(screen.queryByText("Nothing matches")).toBeNull();
});

it("leads to all runs where they were narrowed to none", async () => {
  expect(await show(true)).toEqual(["Show all runs"]);
});
