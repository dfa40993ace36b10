import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { ProblemError } from "~/api/problem";
import { type Me, meOptions, type Role } from "~/queries/accounts";
import { SelectionBar } from "./selection_bar";

const asked = vi.hoisted(() => vi.fn());

vi.mock("~/api/client", async (load) => {
  const ask = (method: string) => async (path: string, options: object) => ({
    data: asked(method, path, options),
    response: new Response(),
  });
  const api = { GET: ask("GET"), PATCH: ask("PATCH"), DELETE: ask("DELETE") };
  return { ...(await load<typeof import("~/api/client")>()), api };
});

const onChoose = vi.fn();
const act = vi.fn<(id: string) => Promise<void>>();
const REFUSED = new ProblemError({
  type: "about:blank",
  title: "Conflict",
  status: 409,
  code: "conflict",
  detail: "the run has not ended",
  message: { code: "none_such", params: {}, text: "the run has not ended" },
} as ConstructorParameters<typeof ProblemError>[0]);

beforeEach(() => {
  for (const mock of [asked, onChoose, act]) mock.mockReset();
  asked.mockReturnValue({ items: [], tags: [], version: 3 });
  act.mockResolvedValue();
});

function shown(role: Role) {
  const client = new QueryClient();
  client.setQueryData(meOptions.queryKey, { role } as Me);
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={client}>
        <SelectionBar
          thing="run"
          chosen={[
            { id: "one", name: "First" },
            { id: "two", name: "Second" },
          ]}
          onChoose={onChoose}
          removal={{
            role: "operator",
            title: (count) => `Delete these ${count}?`,
            text: "For good.",
            act,
          }}
        />
      </QueryClientProvider>
    </MantineProvider>,
  );
}

it("tells what came of each, and keeps chosen what was refused", async () => {
  act.mockImplementation(async (id) => {
    if (id === "one") throw REFUSED;
  });
  shown("operator");
  fireEvent.click(screen.getByRole("button", { name: "Delete" }));
  const dialog = await screen.findByRole("dialog", { name: "Delete these 2?" });
  expect(act).not.toHaveBeenCalled();
  fireEvent.click(within(dialog).getByRole("button", { name: "Delete" }));
  expect(await within(dialog).findByText("Done: 1. Failed: 1.")).toBeTruthy();
  expect(within(dialog).getByText("the run has not ended")).toBeTruthy();
  expect(within(dialog).getAllByLabelText("Done")).toHaveLength(1);
  expect(act.mock.calls).toEqual([["one"], ["two"]]);
  await waitFor(() => expect(onChoose).toHaveBeenCalledWith(["one"]));
});

it("offers who may only look nothing that changes", () => {
  shown("viewer");
  expect(screen.getByText(/2 selected/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Delete" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Tag" })).toBeNull();
});

it("tags each as it is now, by the version that was read", async () => {
  asked.mockImplementation((method: string) =>
    method === "GET" ? { items: [], tags: ["old", "kept"], version: 3 } : {},
  );
  const user = userEvent.setup();
  shown("operator");
  fireEvent.click(screen.getByRole("button", { name: "Tag" }));
  const dialog = await screen.findByRole("dialog");
  for (const [field, tag] of [
    ["Tags to add", "New"],
    ["Tags to remove", "old"],
  ] as const) {
    const input = within(dialog).getByLabelText(field, { selector: "input" });
    await user.type(input, `${tag}{Enter}`);
  }
  fireEvent.click(within(dialog).getByRole("button", { name: "Tag" }));
  await within(dialog).findByText("Done: 2. Failed: 0.");
  const written = asked.mock.calls.filter(([method]) => method === "PATCH");
  expect(written).toHaveLength(2);
  expect(written[0]?.[2]).toEqual({
    params: { path: { run_id: "one" }, header: { "if-match": '"3"' } },
    body: { tags: ["kept", "new"] },
  });
});
