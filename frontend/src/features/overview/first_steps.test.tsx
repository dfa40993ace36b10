import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { type Me, meOptions, type Role } from "~/queries/accounts";
import { FirstSteps } from "./first_steps";

type Done = Parameters<typeof FirstSteps>[0]["done"];

async function show(done: Done, role: Role) {
  const client = new QueryClient();
  client.setQueryData(meOptions.queryKey, { role } as Me);
  const root = createRootRoute({ component: () => <FirstSteps done={done} /> });
  const router = createRouter({
    routeTree: root,
    history: createMemoryHistory({ initialEntries: ["/"] }),
  });
  render(
    <QueryClientProvider client={client}>
      <MantineProvider env="test">
        <RouterProvider router={router as never} />
      </MantineProvider>
    </QueryClientProvider>,
  );
  await screen.findByText(/^1\./);
}

const variants = () =>
  screen.getAllByRole("link").map((link) => [link.textContent, link.getAttribute("data-variant")]);

it("lead to the one next step, which alone stands out", async () => {
  await show({ cluster: true, experiment: false, run: false }, "admin");
  expect(variants()).toEqual([
    ["Create an experiment", "filled"],
    ["Choose an experiment to run", "default"],
  ]);
  expect(screen.getByText("Done")).toBeTruthy();
});

it("say who does what the user may not", async () => {
  await show({ cluster: false, experiment: false, run: false }, "operator");
  expect(screen.getByText("Ask an administrator of your organization to do this.")).toBeTruthy();
  expect(screen.queryByRole("link", { name: "Register a cluster" })).toBeNull();
});
