import { MantineProvider } from "@mantine/core";
import { render, screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import type { AuditEntry } from "~/queries/audit";
import { EntriesTable } from "./entries_table";

const ENTRY: AuditEntry = {
  id: 2,
  created_at: "2026-11-22T03:04:05Z",
  who: "ada@example.org",
  via: "session",
  user_id: "ada",
  token_id: null,
  token_name: null,
  operation: "update_member",
  refused: false,
  object_kind: "member",
  object_id: "bob",
  object_name: "bob@example.org",
  details: { role: "admin", active: true },
  address: "203.0.113.9",
  request_id: "r-1",
};

function shown(entry: Partial<AuditEntry>) {
  render(
    <MantineProvider env="test">
      <EntriesTable entries={[{ ...ENTRY, ...entry }]} />
    </MantineProvider>,
  );
  return within(screen.getAllByRole("row")[1] as HTMLElement);
}

it("says who did what to what, from where", () => {
  const row = shown({});
  for (const text of ["ada@example.org", "in the browser", "203.0.113.9", "r-1"]) {
    expect(row.getByText(text)).toBeTruthy();
  }
  expect(row.getByText(/Changed a member/)).toBeTruthy();
  expect(row.getByText("role: Admin · active: yes")).toBeTruthy();
  expect(row.getByText(/member bob@example.org/)).toBeTruthy();
  expect(row.queryByText("Refused")).toBeNull();
});

it("tells a login that failed, and names no account where there was none", () => {
  const row = shown({ operation: "log_in", refused: true, who: "", object_kind: null });
  expect(row.getByText("Refused")).toBeTruthy();
  expect(row.getByText("No account")).toBeTruthy();
});

it("names the token that did it, and an operation that it does not know by its id", () => {
  const row = shown({ via: "token", token_name: "CI", operation: "fly_to_the_moon", details: {} });
  expect(row.getByText("API token CI")).toBeTruthy();
  expect(row.getByText(/fly_to_the_moon/)).toBeTruthy();
});

it("says in words what is known besides, and nothing of what there is none of", () => {
  const details = { of: "comparison", keep: [], days: 90, changed: ["bench_image", "name"] };
  const row = shown({ operation: "create_snapshot", details });
  expect(row.getByText("of: comparison · days: 90 · changed: image, name")).toBeTruthy();
});
