import { QueryClient } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import { MOST, wholeOptions } from "./pages";

it("reads a whole list page by page", async () => {
  const read = vi.fn(async ({ cursor }: { cursor?: string }) =>
    cursor === undefined
      ? { items: ["one", "two"], next_cursor: "after two" }
      : { items: ["three"], next_cursor: null },
  );
  const found = await new QueryClient().fetchQuery(wholeOptions(["list"], read));
  expect(found).toEqual(["one", "two", "three"]);
  const pages = read.mock.calls.map(([page]) => page);
  expect(pages).toEqual([{ limit: MOST }, { limit: MOST, cursor: "after two" }]);
});
