import { describe, expect, it } from "vitest";
import { isNarrowed, listQuery, readListSearch } from "./list_search";

const ID = "5ad6ec66-f0cc-4a79-9abd-5d0f7ef1a1a2";

describe("what a list keeps in its address", () => {
  it("keeps what is well formed and drops the rest", () => {
    expect(
      readListSearch({
        q: 42,
        tag: "acme",
        favourite: true,
        sort: "name",
        pages: 3,
        chosen: [ID, ID, "x", 3],
      }),
    ).toEqual({ q: "42", tag: "acme", favourite: true, sort: "name", pages: 3, chosen: [ID] });
    expect(
      readListSearch({ q: "", tag: ["a"], favourite: "yes", sort: "newest", pages: 1, chosen: [] }),
    ).toEqual({});
    expect(readListSearch({ q: "x".repeat(300), pages: 10_000 })).toEqual({
      q: "x".repeat(200),
      pages: 50,
    });
  });

  it("asks the API for the same, and order narrows nothing", () => {
    expect(listQuery({ q: "a", tag: "b", sort: "oldest", chosen: [ID], pages: 2 })).toEqual({
      q: "a",
      tag: ["b"],
      favourite: undefined,
      sort: "oldest",
    });
    expect(isNarrowed({ sort: "name", pages: 2, chosen: [ID] })).toBe(false);
    expect(isNarrowed({ favourite: true })).toBe(true);
  });

  it("takes the language that an address names for no narrowing", () => {
    expect(isNarrowed({ lang: "zh" })).toBe(false);
    expect(isNarrowed({ lang: "zh", q: "flannel" })).toBe(true);
  });
});
