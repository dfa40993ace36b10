import { expect, it } from "vitest";
import { queryOf, readAuditSearch } from "./search";

it("reads what the page writes, and nothing else", () => {
  const written = {
    who: "ada",
    operation: "delete_run",
    kind: "run",
    object: "42",
    from: "2026-11-01",
    to: "2026-11-02",
    refused: true,
  };
  expect(readAuditSearch(written)).toEqual(written);
  expect(readAuditSearch({ object: 42 })).toEqual({ object: "42" });
  const nonsense = { who: "", operation: "<b>", from: "2026-13-45", to: 7, refused: "yes", x: 1 };
  expect(readAuditSearch(nonsense)).toEqual({});
});

it("asks for whole days of the user's own", () => {
  const { since, until } = queryOf({ from: "2026-11-30", to: "2026-11-30" });
  expect(since).toBe(new Date(2026, 10, 30).toISOString());
  expect(until).toBe(new Date(2026, 11, 1).toISOString());
  expect(queryOf({})).toEqual({});
});

it("asks the API for nothing that the address holds besides", () => {
  const search = { ...readAuditSearch({ who: "ada" }), lang: "zh" };
  expect(JSON.parse(JSON.stringify(queryOf(search)))).toEqual({ who: "ada" });
});
