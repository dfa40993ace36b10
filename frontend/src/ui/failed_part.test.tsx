import { MantineProvider } from "@mantine/core";
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Suspense } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { PartBoundary } from "./failed_part";
import { lazyPart } from "./lazy_part";

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  vi.stubGlobal("fetch", async () => new Response("ok"));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it("keeps the answer beside a part that was not loaded, which can be tried again", async () => {
  const load = vi
    .fn(async () => ({ Panel: ({ name }: { name: string }) => <p>{`The panel of ${name}`}</p> }))
    .mockRejectedValueOnce(new TypeError("Failed to fetch dynamically imported module"));
  const Panel = lazyPart(load, "Panel");
  const root = createRootRoute({
    component: () => (
      <>
        <p>The answer</p>
        <PartBoundary>
          <Suspense>
            <Panel name="a run" />
          </Suspense>
        </PartBoundary>
      </>
    ),
  });
  const router = createRouter({ routeTree: root, history: createMemoryHistory() });
  render(
    <MantineProvider env="test">
      <RouterProvider router={router} />
    </MantineProvider>,
  );
  expect(await screen.findByText("This part of the page could not be loaded")).toBeTruthy();
  expect(screen.getByText("The answer")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("The panel of a run")).toBeTruthy();
  expect(load).toHaveBeenCalledTimes(2);
});
