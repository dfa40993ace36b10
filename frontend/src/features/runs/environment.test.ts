import { expect, it } from "vitest";
import { frozenClusters } from "./environment";

it("has no cluster before the preflight", () => {
  expect(frozenClusters(null)).toEqual([]);
  expect(frozenClusters({ clusters: { x: { fingerprint: { a: 1 } } } })).toEqual([
    { name: "x", fingerprint: { a: 1 } },
  ]);
});
