import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import "~/i18n";
import { PartsAlert } from "./parts_alert";

afterEach(() => vi.unstubAllGlobals());

function shown(lives: unknown) {
  vi.stubGlobal("fetch", async () => new Response(JSON.stringify({ lives }), { status: 200 }));
  const client = new QueryClient();
  render(
    <MantineProvider>
      <QueryClientProvider client={client}>
        <PartsAlert />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return client;
}

test("a silent worker is shown, with its last response", async () => {
  shown([
    { part: "runs", name: "h", health: "silent", seen: "2026-01-02T03:04:05Z" },
    { part: "beat", name: "h", health: "ok", seen: "2026-01-02T03:04:05Z" },
  ]);
  expect(await screen.findByText(/measuring worker is down/)).toBeTruthy();
  expect(screen.getByText(/Last response/)).toBeTruthy();
  expect(screen.queryAllByRole("alert")).toHaveLength(1);
});

test("a part that was never seen is told", async () => {
  shown([{ part: "upkeep", name: "", health: "unseen", seen: null }]);
  expect(await screen.findByText(/has not responded yet/)).toBeTruthy();
});

test("whatever else is answered is nothing to tell", async () => {
  const client = shown("x");
  await waitFor(() => expect(client.getQueryState(["missing-parts"])?.status).toBe("success"));
  expect(screen.queryAllByRole("alert")).toHaveLength(0);
});
