import { expect, it } from "vitest";
import { scopeOf } from "./reach_field";

it("holds a token to what was chosen, or to nothing", () => {
  expect(scopeOf("cluster:c-1")).toEqual({ cluster_id: "c-1" });
  expect(scopeOf("experiment:e-1")).toEqual({ experiment_id: "e-1" });
  expect(scopeOf("")).toEqual({});
});
