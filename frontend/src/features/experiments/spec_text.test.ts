import { describe, expect, it } from "vitest";
import { specText } from "./spec_text";

describe("specText", () => {
  it("leaves out what says nothing and puts the axes in the kind's order", () => {
    const text = specText(
      {
        name: "on",
        kind: "throughput",
        description: "",
        axes: { streams: [1, 8], path: ["pod-pod"] },
        parameters: { client_node: null },
        repetition: { profile: "quick", trials: null },
      },
      ["path", "streams"],
    );
    expect(text).toBe(
      'name: "on"\nkind: throughput\naxes:\n  path: [pod-pod]\n  streams: [1, 8]\n' +
        "repetition:\n  profile: quick\n",
    );
  });
});
