import { expect, it } from "vitest";
import type { LogLine } from "~/queries/runs";
import { whyNoLines } from "./log_filter";

it("expects more lines only of a run that has not finished", () => {
  expect(whyNoLines([], { state: "running" })).toBe("no_lines");
  expect(whyNoLines([], { state: "finished" })).toBe("no_log");
  expect(whyNoLines([{} as LogLine], { state: "finished" })).toBe("no_lines_match");
});
