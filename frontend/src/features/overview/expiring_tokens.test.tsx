import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { type Token, tokensOptions } from "~/queries/tokens";
import { ExpiringTokens } from "./expiring_tokens";

vi.mock("~/ui/link", () => ({
  AnchorLink: ({ children }: { children: string }) => <span>{children}</span>,
}));

function shown(...days: number[]) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  const tokens = days.map((left) => ({
    id: String(left),
    name: `CI ${left}`,
    expires_at: new Date(Date.now() + left * 86_400_000).toISOString(),
  }));
  client.setQueryData(tokensOptions.queryKey, tokens as Token[]);
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={client}>
        <ExpiringTokens />
      </QueryClientProvider>
    </MantineProvider>,
  );
}

it("names the tokens that end soon, and no other", () => {
  shown(3, 90, -1);
  expect(screen.getByText("An API token expires soon")).toBeTruthy();
  expect(screen.getByText(/CI 3\./)).toBeTruthy();
  expect(screen.queryByText(/CI 90|CI -1/)).toBeNull();
});

it("says nothing while none does", () => {
  shown(90, -1);
  expect(screen.queryByText(/ends? soon/)).toBeNull();
});
