import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import type { Token } from "~/queries/tokens";
import { TokensTable } from "./tokens_table";

const removed = vi.hoisted(() => vi.fn());

vi.mock("~/api/client", async (load) => ({
  ...(await load<typeof import("~/api/client")>()),
  api: { DELETE: removed },
}));

const CI: Token = {
  id: "ci",
  name: "CI",
  hint: "pm_ci",
  email: "ada@example.org",
  user_id: "ada",
  role: "viewer",
  cluster_id: null,
  experiment_id: null,
  ci_trust_id: null,
  created_at: "2026-01-02T03:04:05Z",
  expires_at: "2099-01-02T03:04:05Z",
  last_used_at: null,
};
const LAPTOP: Token = { ...CI, id: "laptop", name: "Laptop" };
const GONE = { data: undefined, response: new Response(null, { status: 204 }) };

beforeEach(() => {
  removed.mockReset();
});

function shown(tokens: Token[]) {
  const client = new QueryClient();
  const table = (shown: Token[]) => (
    <MantineProvider env="test">
      <QueryClientProvider client={client}>
        <TokensTable tokens={shown} caption="Tokens" />
      </QueryClientProvider>
    </MantineProvider>
  );
  const { rerender } = render(table(tokens));
  return { client, show: (next: Token[]) => rerender(table(next)) };
}

async function asked(name: string): Promise<HTMLElement> {
  fireEvent.click(screen.getByRole("button", { name }));
  return await screen.findByRole("dialog", { name });
}

it("revokes the token asked about, and says of that alone why it was refused", async () => {
  removed.mockRejectedValueOnce(new TypeError("no network")).mockResolvedValue(GONE);
  shown([CI, LAPTOP]);
  const ci = within(await asked("Revoke CI"));
  expect(removed).not.toHaveBeenCalled();
  fireEvent.click(ci.getByRole("button", { name: "Revoke" }));
  expect(await ci.findByRole("alert")).toBeTruthy();
  fireEvent.click(ci.getByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());

  const laptop = within(await asked("Revoke Laptop"));
  expect(laptop.queryByRole("alert")).toBeNull();
  fireEvent.click(laptop.getByRole("button", { name: "Revoke" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  const [path, { params }] = removed.mock.lastCall ?? [];
  expect([path, params.path]).toEqual(["/api/v1/tokens/{token_id}", { token_id: "laptop" }]);
});

it("asks no more about the last token once it is gone, whichever is made next", async () => {
  let answer: (gone: typeof GONE) => void = () => undefined;
  removed.mockReturnValue(
    new Promise((resolve) => {
      answer = resolve;
    }),
  );
  const { client, show } = shown([CI]);
  const dialog = within(await asked("Revoke CI"));
  fireEvent.click(dialog.getByRole("button", { name: "Revoke" }));
  await waitFor(() => expect(removed).toHaveBeenCalledOnce());
  // The list is read again before the dialog closes.
  show([]);
  answer(GONE);
  await waitFor(() => expect(client.isMutating()).toBe(0));
  show([LAPTOP]);
  expect(screen.getByText("Laptop")).toBeTruthy();
  expect(screen.queryByRole("dialog")).toBeNull();
});

it("asks on, and says what was refused, though the token is gone from the list", async () => {
  removed.mockRejectedValueOnce(new TypeError("no network"));
  const { show } = shown([CI]);
  const dialog = within(await asked("Revoke CI"));
  show([]);
  fireEvent.click(dialog.getByRole("button", { name: "Revoke" }));
  expect(await dialog.findByRole("alert")).toBeTruthy();
  fireEvent.click(dialog.getByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  show([LAPTOP]);
  expect(screen.queryByRole("dialog")).toBeNull();
});
