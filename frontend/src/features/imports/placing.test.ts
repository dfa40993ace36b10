import { describe, expect, it } from "vitest";
import type { RecognisedOutput } from "~/queries/imports";
import { lineSpan, placeAll, placedOutputs, stillPlaced } from "./placing";

const output = (number: number, told: RecognisedOutput["told"] = {}) =>
  ({ output: number, told, tool: "iperf3", figures: [] }) as unknown as RecognisedOutput;
const AXES = [
  { name: "path", choices: ["pod-pod", "node-node"], minimum: null, maximum: null },
  { name: "services", choices: [], minimum: 1, maximum: 60_000 },
  { name: "variant", choices: [], minimum: null, maximum: null },
];

describe("placedOutputs", () => {
  it("sends what was written, whole numbers where an axis has them", () => {
    const placed = { 1: { path: "pod-pod", services: "1000", variant: "7" }, 2: { path: "" } };
    const shown = ["path", "services", "variant"];
    expect(placedOutputs([output(1), output(2)], AXES, shown, placed)).toEqual([
      { output: 1, at: { path: "pod-pod", services: 1000, variant: "7" } },
    ]);
  });

  it("sends nothing of what the output tells, or of axes that are not shown", () => {
    const placed = { 1: { path: "pod-pod", services: "10" } };
    expect(placedOutputs([output(1, { path: "node-node" })], AXES, ["path"], placed)).toEqual([]);
  });

  it("leaves what is no number to the API to refuse", () => {
    const placed = { 1: { services: "many" } };
    expect(placedOutputs([output(1)], AXES, ["services"], placed)).toEqual([
      { output: 1, at: { services: "many" } },
    ]);
  });
});

it("places all outputs that do not tell an axis themselves", () => {
  const outputs = [output(1), output(2, { path: "node-node" })];
  expect(placeAll(outputs, { 1: { variant: "x" } }, "path", "pod-pod")).toEqual({
    1: { variant: "x", path: "pod-pod" },
    2: {},
  });
});

it("keeps what was written of the outputs that a changed text still has at their places", () => {
  const placed = { 1: { path: "pod-pod" }, 2: { path: "node-node" } };
  const [one, two, other] = [output(1), output(2, { streams: 8 }), output(2, { streams: 1 })];
  expect(stillPlaced(placed, [one, two], [one, two, output(3)])).toEqual(placed);
  expect(stillPlaced(placed, [one, two], [one, other])).toEqual({ 1: placed[1] });
  expect(stillPlaced(placed, [one, two], [one])).toEqual({ 1: placed[1] });
});

it("finds a line in a text", () => {
  const text = "one\ntwo\n\nfour";
  expect(text.slice(...lineSpan(text, 2))).toBe("two");
  expect(text.slice(...lineSpan(text, 3))).toBe("");
  expect(text.slice(...lineSpan(text, 4))).toBe("four");
});
