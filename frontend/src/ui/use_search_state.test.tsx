import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { useSearchState } from "./use_search_state";

interface Search {
  word?: string;
  chosen?: string[];
}

/** What the router waits for before it draws an address again, as on a slow machine. */
let slow = { wait: Promise.resolve(), over: () => {} };

beforeEach(() => {
  let over = () => {};
  const wait = new Promise<void>((done) => {
    over = done;
  });
  slow = { wait, over };
});

/** What was drawn, one after the other. */
let searches: Search[] = [];

function Fields() {
  const [search, change, replace] = useSearchState("/list" as never) as unknown as [
    Search,
    (part: Search) => void,
    (whole: Search) => void,
  ];
  searches.push(search);
  const { word = "", chosen = [] } = search;
  return (
    <>
      <input
        aria-label="word"
        value={word}
        onChange={(event) => change({ word: event.currentTarget.value })}
      />
      {["a", "b"].map((id) => (
        <input
          key={id}
          type="checkbox"
          aria-label={id}
          checked={chosen.includes(id)}
          onChange={() => change({ chosen: [...chosen, id] })}
        />
      ))}
      <button type="button" onClick={() => replace({ word: "all" })}>
        replace
      </button>
    </>
  );
}

async function shown(address: string) {
  const root = createRootRoute();
  const list = createRoute({
    getParentRoute: () => root,
    path: "/list",
    component: Fields,
    validateSearch: (search: Record<string, unknown>) => search,
    loaderDeps: ({ search }) => search,
    loader: async ({ cause }) => {
      if (cause !== "preload" && router.state.resolvedLocation) await slow.wait;
    },
  });
  const router = createRouter({
    routeTree: root.addChildren([list]),
    history: createMemoryHistory({ initialEntries: [address] }),
  });
  render(<RouterProvider router={router as never} />);
  await screen.findByLabelText("word");
  return router;
}

it("shows what was asked for before the address is drawn, and loses nothing of it", async () => {
  const router = await shown("/list");
  await userEvent.type(screen.getByLabelText("word"), "proxy");
  expect(screen.getByLabelText("word")).toHaveProperty("value", "proxy");
  await userEvent.click(screen.getByLabelText("a"));
  await userEvent.click(screen.getByLabelText("b"));
  for (const box of ["a", "b"]) {
    expect(screen.getByLabelText(box)).toHaveProperty("checked", true);
  }
  await act(async () => slow.over());
  await waitFor(() =>
    expect(router.state.resolvedLocation?.search).toEqual({ word: "proxy", chosen: ["a", "b"] }),
  );
});

it("gives one object for a change, which the address does not replace by its like", async () => {
  const router = await shown("/list?word=old");
  searches = [];
  await userEvent.click(screen.getByLabelText("a"));
  await act(async () => slow.over());
  await waitFor(() => expect(router.state.resolvedLocation?.search).toHaveProperty("chosen"));
  expect(searches.length).toBeGreaterThan(1);
  expect(new Set(searches).size).toBe(1);
});

it("shows what the address says once that has been drawn", async () => {
  const router = await shown("/list?word=old");
  await act(async () => slow.over());
  await userEvent.click(screen.getByLabelText("a"));
  await waitFor(() => expect(router.state.resolvedLocation?.search).toHaveProperty("chosen"));
  await act(() => router.navigate({ to: "/list", search: { word: "another" } } as never));
  await waitFor(() => expect(screen.getByLabelText("word")).toHaveProperty("value", "another"));
  expect(screen.getByLabelText("a")).toHaveProperty("checked", false);
});

it("replaces all that the address said", async () => {
  const router = await shown('/list?word=old&chosen=["a"]');
  await act(async () => slow.over());
  await userEvent.click(screen.getByText("replace"));
  expect(screen.getByLabelText("a")).toHaveProperty("checked", false);
  await waitFor(() => expect(router.state.location.search).toEqual({ word: "all" }));
});
