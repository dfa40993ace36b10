import { describe, expect, it } from "vitest";
import { readDocument } from "./document";
import { specText } from "./spec_text";
import { READY_MADE, READY_MADE_NAMES } from "./templates";

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

  it.each(READY_MADE_NAMES)("%s reads as it was made", (name) => {
    const spec = { name, ...READY_MADE[name] };
    expect(readDocument(specText(spec)).value).toEqual(spec);
  });
});
