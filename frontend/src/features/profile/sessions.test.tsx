import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { LoginSession } from "~/queries/profile";
import { Sessions } from "./sessions";

const sessions = Array.from(
  { length: 30 },
  (_, number): LoginSession => ({
    id: `${number}`,
    current: number === 25,
    agent: null,
    address: `192.0.2.${number}`,
    organization: "Ours",
    created_at: "2026-01-02T03:04:05Z",
    last_seen_at: null,
    expires_at: "2026-02-02T03:04:05Z",
  }),
);

it("shows one's own session and a few, and the others when asked", () => {
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient()}>
        <Sessions sessions={sessions} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  expect(screen.getByText("This session")).toBeTruthy();
  expect(screen.getByText("192.0.2.25")).toBeTruthy();
  expect(screen.getAllByRole("row")).toHaveLength(11);
  fireEvent.click(screen.getByRole("button", { name: "Show all 30 sessions" }));
  expect(screen.getAllByRole("row")).toHaveLength(31);
});
