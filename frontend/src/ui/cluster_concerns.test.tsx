import { MantineProvider } from "@mantine/core";
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Schemas } from "~/api/types";
import { ClusterConcerns } from "./cluster_alerts";

const HOUR_MS = 3_600_000;

/** What the list says below a cluster, line by line. */
async function lines(changes: Partial<Schemas["ClusterView"]>) {
  const cluster = {
    id: "7",
    preflight_state: "succeeded",
    needs_restore: false,
    restored_elsewhere: false,
    replacement: null,
    renewal_error: null,
    renew_credential: false,
    credential_renewed_at: null,
    credential_expires_at: null,
    ...changes,
  } as Schemas["ClusterView"];
  const root = createRootRoute({ component: () => <ClusterConcerns cluster={cluster} /> });
  const router = createRouter({
    routeTree: root,
    history: createMemoryHistory({ initialEntries: ["/"] }),
  });
  render(
    <MantineProvider env="test">
      <RouterProvider router={router as never} />
    </MantineProvider>,
  );
  return (await screen.findAllByRole("link")).map((link) => link.parentElement?.textContent ?? "");
}

it("says in a line when credentials expire, and where new ones are provided", async () => {
  const expires = new Date(Date.now() + 17.5 * HOUR_MS).toISOString();
  const [line, ...others] = await lines({ credential_expires_at: expires });
  expect(others).toEqual([]);
  expect(line).toMatch(/^The credentials expire soon.*\(in 17 hours\)Provide a new kubeconfig$/);
});

it("says in the same line why a preflight failed", async () => {
  const text = "https://192.0.2.1:6443 refused the connection";
  const [line] = await lines({
    preflight_state: "failed",
    preflight_error: { code: "api_port_refused", params: {}, text },
  });
  expect(line).toBe(`The preflight failed${text}Go to its preflight`);
});

it("has a line for each concern, the most pressing first", async () => {
  const expired = new Date(Date.now() - HOUR_MS).toISOString();
  const found = await lines({ needs_restore: true, credential_expires_at: expired });
  expect(found).toHaveLength(2);
  expect(found[1]).toMatch(/^The credentials have expired/);
});
