import { expect, it } from "vitest";
import { parse } from "yaml";
import type { RunDetail } from "~/queries/runs";
import { resolvedText, writtenText } from "./specification";

it("a resolved specification says every value, with its axes in the planned order", () => {
  const spec = {
    name: "paths",
    kind: "throughput",
    kind_version: 2,
    description: "",
    parameters: { port: 5201, client_node: null },
    axes: [
      { name: "path", scope: "case", ladder: false, staged: false, values: ["b", "a"] },
      { name: "alpha", scope: "case", ladder: false, staged: false, values: [8, 1] },
    ],
    repetition: { trials: 5, seconds: 5, rounds: 1, warmup: 1, void_replacements: 3, seed: 1 },
  } as RunDetail["spec"];
  const read = parse(resolvedText(spec));
  expect(read).toEqual({
    name: "paths",
    kind: "throughput",
    kind_version: 2,
    parameters: { port: 5201, client_node: null },
    axes: { path: ["b", "a"], alpha: [8, 1] },
    repetition: spec.repetition,
  });
  expect(Object.keys(read.axes)).toEqual(["path", "alpha"]);
});

it("a written specification leaves open what its author did", () => {
  const written = {
    name: "paths",
    kind: "throughput",
    axes: { path: ["b"] },
    repetition: { profile: "quick", trials: null, rounds: 2 },
  } as unknown as RunDetail["written"];
  expect(parse(writtenText(written))).toEqual({
    name: "paths",
    kind: "throughput",
    axes: { path: ["b"] },
    repetition: { profile: "quick", rounds: 2 },
  });
});
