import { describe, expect, it } from "vitest";
import type { Kind } from "~/queries/kinds";
import { faultsElsewhere } from "./faults";
import { isWritable, shownPointers, strangers } from "./sections";

const KIND = {
  name: "throughput",
  axes: [{ name: "path" }, { name: "streams" }],
  parameters: { properties: { port: { type: "integer" } } },
} as unknown as Kind;

describe("sections", () => {
  it("find what the kind does not know, and nothing else", () => {
    const value = {
      kind: "throughput",
      colour: "red",
      axes: { path: ["pod-pod"], services: [10] },
      parameters: { port: 1, requests: 2000 },
      repetition: { profile: "quick", minutes: 4 },
    };
    expect(strangers(value, KIND)).toEqual([
      ["colour"],
      ["axes", "services"],
      ["parameters", "requests"],
      ["repetition", "minutes"],
    ]);
    expect(strangers({ axes: { services: [10] } }, undefined)).toEqual([]);
  });

  it("do not write into what is no mapping", () => {
    expect(strangers({ axes: ["path"] }, KIND)).toEqual([["axes"]]);
    expect(isWritable({ axes: ["path"] }, "axes")).toBe(false);
    expect(isWritable({ axes: null }, "axes")).toBe(true);
    expect(isWritable({}, "axes")).toBe(true);
  });

  it("show every fault at a field but those of the whole", () => {
    const at = (pointer: string) => ({ pointer, message: "" });
    const faults = ["", "/axes", "/axes/path/1", "/repetition/trials", "/colour"].map(at);
    const shown = shownPointers({ colour: "red" }, KIND);
    expect(faultsElsewhere(faults, shown)).toEqual([at(""), at("/axes")]);
  });
});
