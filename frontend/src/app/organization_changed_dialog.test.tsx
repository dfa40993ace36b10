import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { actFor, api, unwrap, watchAnswers } from "~/api/client";
import { type Me, meOptions } from "~/queries/accounts";
import { markOrganizationChanged } from "~/queries/acting";
import { OrganizationChangedDialog } from "./organization_changed_dialog";

/** What is asked, and answered as the API does while the session acts in the other organization. */
const server = vi.hoisted(() => {
  const found = {
    asked: [] as Request[],
    answer: (_: Request): Response => new Response(),
  };
  // Before the client is made, which keeps them. Of an address without a host Node makes nothing.
  const Whole = globalThis.Request;
  globalThis.Request = class extends Whole {
    constructor(input: RequestInfo | URL, init?: RequestInit) {
      super(typeof input === "string" ? new URL(input, "http://podmeter.example") : input, init);
    }
  };
  globalThis.fetch = async (input) => {
    const request = input as Request;
    found.asked.push(request.clone());
    return found.answer(request);
  };
  return found;
});

const OURS: Me = {
  user_id: "ada",
  email: "ada@example.org",
  organization_id: "ours",
  organization: "Ours",
  role: "admin",
  of_provider: false,
  expires_at: null,
  csrf_token: "of ours",
};
const THEIRS = { ...OURS, organization_id: "theirs", organization: "Theirs", csrf_token: "other" };
const REFUSED = {
  code: "another_organization",
  status: 409,
  message: { code: "another_organization", params: {}, text: "" },
};

beforeEach(() => {
  server.asked.length = 0;
  server.answer = (request) => {
    if (request.headers.get("X-Podmeter-Organization") === "ours") {
      return Response.json(REFUSED, { status: 409 });
    }
    return Response.json(request.method === "PUT" ? OURS : THEIRS);
  };
});

afterEach(() => {
  vi.unstubAllGlobals();
  actFor(null);
});

it("names the page's organization with all that it asks, and tells where it is another one", async () => {
  const onElsewhere = vi.fn();
  watchAnswers({ onUnreachable: vi.fn(), onUnknown: vi.fn(), onElsewhere });
  actFor(OURS);
  await expect(unwrap(api.GET("/api/v1/kinds"))).rejects.toThrow();
  expect(server.asked[0]?.headers.get("X-Podmeter-Organization")).toBe("ours");
  expect(onElsewhere).toHaveBeenCalledOnce();
});

it("lets the page be asked for nothing until it is said which organization it is to be", async () => {
  const reload = vi.fn();
  vi.stubGlobal("location", { ...location, reload, assign: vi.fn() });
  const client = new QueryClient();
  client.setQueryData(meOptions.queryKey, OURS);
  actFor(OURS);
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={client}>
        <OrganizationChangedDialog />
      </QueryClientProvider>
    </MantineProvider>,
  );
  expect(screen.queryByRole("dialog")).toBeNull();
  act(markOrganizationChanged);
  expect(await screen.findByRole("dialog")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Back to Ours" }));
  await waitFor(() => expect(reload).toHaveBeenCalled());
  const [me, back] = server.asked;
  expect(me?.headers.has("X-Podmeter-Organization")).toBe(false);
  // With the CSRF token of the session's organization, the only valid one.
  expect(back?.headers.get("X-CSRF-Token")).toBe("other");
  expect(await back?.json()).toEqual({ organization_id: "ours" });
});
