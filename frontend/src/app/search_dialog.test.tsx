import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { Schemas } from "~/api/types";
import { setLanguage } from "~/i18n";
import SearchDialog from "./search_dialog";

const asked = vi.hoisted(() => vi.fn());

vi.mock("~/api/client", async (load) => {
  const GET = async (path: string, options: object) => ({
    data: asked(path, options),
    response: new Response(),
  });
  return { ...(await load<typeof import("~/api/client")>()), api: { GET } };
});

const FOUND = {
  thing: "run",
  id: "5ad6ec66-f0cc-4a79-9abd-5d0f7ef1a1a2",
  name: "Nightly",
  kind: "throughput",
  state: "finished",
  outcome: "succeeded",
  tags: ["acme"],
  favourite: true,
  created_at: "2026-01-01T00:00:00Z",
  baseline: null,
  contenders: [],
} satisfies Schemas["FoundThing"];
const CLUSTER = {
  ...FOUND,
  thing: "cluster",
  id: "6ad6ec66-f0cc-4a79-9abd-5d0f7ef1a1a2",
  name: "Frankfurt",
  kind: null,
  state: null,
  outcome: null,
  favourite: false,
} satisfies Schemas["FoundThing"];
const SIDE = {
  run_id: FOUND.id,
  name: "Nightly",
  label: "Nightly: mode ipvs",
  where: { kube_proxy_mode: "ipvs" },
  case_id: null,
  clusters: [],
  outcome: "succeeded",
  created_at: FOUND.created_at,
  reference_id: null,
  imported: false,
} satisfies Schemas["ComparedRun"];
const COMPARISON = {
  ...FOUND,
  thing: "comparison",
  id: "7ad6ec66-f0cc-4a79-9abd-5d0f7ef1a1a2",
  name: "A ladder / Nightly: mode ipvs",
  state: null,
  outcome: null,
  tags: [],
  favourite: false,
  baseline: { ...SIDE, run_id: null, name: "A ladder", label: "A ladder", reference_id: "ladder" },
  contenders: [SIDE],
} satisfies Schemas["FoundThing"];

async function show() {
  const onDone = vi.fn();
  const root = createRootRoute({ component: () => <SearchDialog onDone={onDone} /> });
  const router = createRouter({
    routeTree: root,
    history: createMemoryHistory({ initialEntries: ["/"] }),
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MantineProvider env="test">
        <RouterProvider router={router as never} />
      </MantineProvider>
    </QueryClientProvider>,
  );
  return { onDone, router, field: await screen.findByRole("combobox") };
}

/** Letter by letter, without the time between two of them in which the field asks. */
function type(field: HTMLElement, text: string) {
  for (let length = 1; length <= text.length; length += 1) {
    fireEvent.change(field, { target: { value: text.slice(0, length) } });
  }
}

it("is used by the keyboard alone: typed, moved through, opened", async () => {
  asked.mockReturnValue({ items: [CLUSTER, FOUND], more: ["run"] });
  const { onDone, router, field } = await show();
  const user = userEvent.setup();
  await user.click(field);
  type(field, " fra ");
  const options = await screen.findAllByRole("option");
  expect(asked).toHaveBeenCalledTimes(1);
  expect(asked.mock.calls[0]?.[1]).toMatchObject({ params: { query: { q: "fra" } } });
  expect(options.map((one) => one.getAttribute("aria-selected"))).toEqual([
    "true",
    "false",
    "false",
  ]);
  expect(options[1]?.textContent).toContain("Nightly");
  expect(options[1]?.textContent).toContain("Succeeded");
  expect(options[2]?.textContent).toBe("All runs that match");
  await user.keyboard("{ArrowDown}");
  expect(field.getAttribute("aria-activedescendant")).toBe(options[1]?.id);
  await user.keyboard("{Enter}");
  expect(onDone).toHaveBeenCalled();
  await waitFor(() => expect(router.latestLocation.pathname).toBe(`/runs/${FOUND.id}`));
});

it("leads to the list of all that match, with the words in its address", async () => {
  asked.mockReturnValue({ items: [FOUND], more: ["run"] });
  const { router, field } = await show();
  const user = userEvent.setup();
  await user.click(field);
  type(field, "night");
  await screen.findAllByRole("option");
  await user.keyboard("{ArrowUp}{Enter}");
  await waitFor(() => expect(router.latestLocation.href).toBe("/runs?q=night"));
});

it("calls comparisons as their list does, and what was published so", async () => {
  asked.mockReturnValue({ items: [COMPARISON], more: [] });
  const { field } = await show();
  type(field, "ladder");
  const option = await screen.findByRole("option");
  const told = "Nightly: kube-proxy mode IPVS against A ladder (published)";
  expect(option.textContent).toContain(told);
  await act(() => setLanguage("zh"));
  expect(option.textContent).toContain("A ladder（已发表）");
  await act(() => setLanguage("en"));
});

it("says that nothing was found", async () => {
  asked.mockReturnValue({ items: [], more: [] });
  const { field } = await show();
  await userEvent.setup().type(field, "x");
  expect(await screen.findByText("Nothing was found.")).toBeTruthy();
  expect(screen.queryByRole("option")).toBeNull();
});
