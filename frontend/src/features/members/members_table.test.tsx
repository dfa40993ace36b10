import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { type Me, meOptions, type Role } from "~/queries/accounts";
import type { Member } from "~/queries/members";
import { signOnOptions } from "~/queries/sign_on";
import { MembersTable } from "./members_table";

const asked = vi.hoisted(() => vi.fn());

vi.mock("~/api/client", async (load) => {
  const ask =
    (method: string) =>
    async (path: string, options: { body?: unknown; params?: unknown } = {}) => {
      const data = asked(method, path, options);
      return { data, response: new Response() };
    };
  const api = { GET: ask("GET"), POST: ask("POST"), PATCH: ask("PATCH"), DELETE: ask("DELETE") };
  return { ...(await load<typeof import("~/api/client")>()), api };
});

const ADA: Member = {
  user_id: "ada",
  email: "ada@example.org",
  role: "admin",
  active: true,
  of_provider: false,
  address_proof: null,
  version: 1,
  since: "2026-01-02T03:04:05Z",
  last_used_at: "2026-01-02T03:04:05Z",
};
const BOB: Member = {
  ...ADA,
  user_id: "bob",
  email: "bob@example.org",
  role: "viewer",
  version: 7,
  last_used_at: null,
};

beforeEach(() => {
  asked.mockReset();
});

function shown(role: Role, members: Member[] = [ADA, BOB]) {
  const client = new QueryClient();
  const me: Me = {
    user_id: "ada",
    email: ADA.email,
    organization_id: "ours",
    organization: "Ours",
    role,
    of_provider: false,
    expires_at: null,
    csrf_token: "t",
  };
  client.setQueryData(meOptions.queryKey, me);
  client.setQueryData(signOnOptions.queryKey, { name: null, only: false });
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={client}>
        <MembersTable members={members} />
      </QueryClientProvider>
    </MantineProvider>,
  );
}

async function choose(name: string) {
  fireEvent.click(screen.getByRole("button", { name: "Actions for bob@example.org" }));
  fireEvent.click(await screen.findByRole("menuitem", { name }));
}

it("shows a viewer who belongs, and nothing to change", () => {
  shown("viewer");
  expect(screen.getByText("bob@example.org")).toBeTruthy();
  expect(screen.getByText("You")).toBeTruthy();
  expect(screen.queryByRole("combobox")).toBeNull();
  expect(screen.queryByRole("button")).toBeNull();
});

it("changes a role as of the version that is shown, not those passed on the way to it", async () => {
  shown("admin");
  const role = screen.getByRole("combobox", { name: "Role of bob@example.org" });
  for (const value of ["admin", "viewer", "operator"]) {
    fireEvent.change(role, { target: { value } });
  }
  expect(asked).not.toHaveBeenCalled();
  fireEvent.click(screen.getByRole("button", { name: "Set role of bob@example.org" }));
  await waitFor(() => expect(asked).toHaveBeenCalledOnce());
  expect(asked).toHaveBeenCalledWith("PATCH", "/api/v1/members/{user_id}", {
    params: { path: { user_id: "bob" }, header: { "if-match": '"7"' } },
    body: { role: "operator" },
  });
});

it("asks before somebody is removed", async () => {
  shown("admin");
  await choose("Remove");
  expect(await screen.findByText(/logged out immediately/)).toBeTruthy();
  expect(asked).not.toHaveBeenCalled();
  fireEvent.click(screen.getByRole("button", { name: "Remove" }));
  await waitFor(() => expect(asked).toHaveBeenCalled());
  expect(asked.mock.calls[0]?.slice(0, 2)).toEqual(["DELETE", "/api/v1/members/{user_id}"]);
});

it("offers to let somebody in again who is shut out", async () => {
  shown("admin", [ADA, { ...BOB, active: false }]);
  expect(screen.getByText("Deactivated")).toBeTruthy();
  await choose("Activate again");
  await waitFor(() => expect(asked).toHaveBeenCalled());
  expect(asked.mock.calls[0]?.[2]).toMatchObject({ body: { active: true } });
});

it("shows the link that sets a password once", async () => {
  asked.mockReturnValue({
    email: BOB.email,
    link: "https://podmeter.example/reset#secret",
    expires_at: ADA.since,
  });
  shown("admin");
  await choose("Create a password reset link");
  expect(await screen.findByText("https://podmeter.example/reset#secret")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "I have copied it" }));
  await waitFor(() => expect(screen.queryByText(/reset#secret/)).toBeNull());
});
