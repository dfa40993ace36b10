import { describe, expect, it } from "vitest";
import { readDocument } from "./document";
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

  it("reads as it was made, words that YAML takes for others too", () => {
    const spec = {
      name: "What NetworkPolicies cost",
      description: "What do they cost, and when?",
      kind: "network_policy",
      axes: { policies: [0, 50, 200], response_size: ["0.5k", "1M"], keep_alive: ["off", "on"] },
      parameters: { requests: 2000, read_rules: true },
      repetition: { profile: "quick", trials: 1, warmup: 0 },
    };
    expect(readDocument(specText(spec)).value).toEqual(spec);
  });
});
