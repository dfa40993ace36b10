import { describe, expect, it } from "vitest";
import type { ChartTable } from "../types";
import { toCsv } from "./csv";
import { toMarkdown } from "./markdown";

const rows = (...cells: (string | number | null)[]): ChartTable => ({
  columns: [{ label: "Cell" }],
  rows: cells.map((cell) => [cell]),
});
const body = (table: ChartTable) => toCsv(table).split("\r\n").slice(1, -1);

describe("toCsv", () => {
  it("writes numbers bare and names their unit in the heading", () => {
    const table: ChartTable = {
      columns: [{ label: "Path" }, { label: "Throughput", unit: "bit/s" }],
      rows: [["Pod → Pod", 9.41e9]],
    };
    expect(toCsv(table)).toBe("Path,Throughput (bit/s)\r\nPod → Pod,9410000000\r\n");
  });

  it.each([
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    " =1",
    "＝1",
    "|calc",
  ])("neutralises the formula %j", (formula) => {
    expect(toCsv(rows(formula)).split("Cell\r\n")[1]).toMatch(/^"?'/);
  });

  it.each([
    ["x;=1;y", "x;'=1;y"],
    ["x\t @y", "x\t' @y"],
    ['x;"=1"', `"x;'""=1"""`],
    ["x; y", "x; y"],
  ])("neutralises a formula behind another separator in %j", (text, written) => {
    expect(body(rows(text))).toEqual([written]);
  });

  it.each(["-4.2", "+3", "-1e-9", -0.031])("leaves the number %j alone", (number) => {
    expect(body(rows(number))).toEqual([String(number)]);
  });

  it("quotes what would end a cell; nothing stays nothing, never zero", () => {
    expect(body(rows('a "b", c', null))).toEqual(['"a ""b"", c"', ""]);
  });
});

describe("toMarkdown", () => {
  it("escapes what would end a cell or mark it up", () => {
    const text = toMarkdown("a|b", rows("x | y", "line\nbreak", "<b>", "snake_case"));
    expect(text).toContain("**a\\|b**");
    expect(text).toContain("| x \\| y |");
    expect(text).toContain("| line break |");
    expect(text).toContain("| \\<b\\> |");
    expect(text).toContain("| snake\\_case |");
  });

  it("gives quantities their unit and aligns columns of numbers", () => {
    const table: ChartTable = {
      columns: [{ label: "Path" }, { label: "Throughput", unit: "bit/s" }],
      rows: [
        ["a", 9.41e9],
        ["b", null],
      ],
    };
    const lines = toMarkdown("T", table).split("\n");
    expect(lines[3]).toBe("| --- | ---: |");
    expect(lines[4]).toBe("| a | 9.41\u202fGbit/s |");
    expect(lines[5]).toBe("| b |  |");
  });

  it("writes figures with the digits of their intervals, and what stands in place of one", () => {
    const table: ChartTable = {
      columns: [
        { label: "Path" },
        { label: "Loss", unit: "ratio" },
        { label: "From", unit: "ratio" },
        { label: "To", unit: "ratio" },
        { label: "State" },
      ],
      figure: { value: 1, low: 2, high: 3, state: 4 },
      rows: [
        ["a", 0.27, 0.2384, 0.268, "measured"],
        ["b", -0.000486, -0.0159, 0.0208, "measured"],
        ["c", null, null, null, "failed"],
      ],
    };
    const lines = toMarkdown("T", table).split("\n");
    expect(lines[4]).toBe("| a | 27.0\u202f% | 23.8\u202f% | 26.8\u202f% | measured |");
    expect(lines[5]).toBe("| b | 0.0\u202f% | -1.6\u202f% | 2.1\u202f% | measured |");
    expect(lines[6]).toBe("| c | failed |  |  | failed |");
  });
});
