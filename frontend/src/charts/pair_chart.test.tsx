import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { bestOf, pairGrid, pairTable, shortfall } from "./pair_cells";
import { PairChart } from "./pair_chart";
import type { Bar, BarGroup } from "./types";

const bar = (value: number): Bar => ({
  key: "",
  label: "",
  hue: 0,
  shade: 0,
  state: "measured",
  n: 6,
  figure: { value, low: value * 0.99, high: value * 1.01, confidence: 0.95 },
});
const failed: Bar = {
  key: "",
  label: "",
  hue: 0,
  shade: 0,
  figure: null,
  n: 0,
  state: "failed",
  note: "node is gone",
};
const group = (pair: string, one: Bar): BarGroup => ({
  key: `node_pair=${pair}`,
  label: pair.replace("~", " → "),
  bars: [one],
});
/** Of six pairs of three nodes one failed, and one was not to be measured. */
const groups = [
  group("node-1~node-2", bar(9e9)),
  group("node-1~node-10", bar(8.9e9)),
  group("node-2~node-1", bar(3e9)),
  group("node-2~node-10", failed),
  group("node-10~node-1", bar(9e9)),
];
const y = { label: "Throughput", unit: "bit/s", better: "higher is better", lower: false } as const;
const draw = () =>
  render(
    <MantineProvider>
      <PairChart title="Links" y={y} groups={groups} />
    </MantineProvider>,
  );

describe("a heatmap of pairs", () => {
  it("has a row and a column for each of what they are of, in the order of numbers", () => {
    const { names, rows } = pairGrid(groups);
    expect(names).toEqual(["node-1", "node-2", "node-10"]);
    expect(rows.map(({ cells }) => cells.map((one) => one.bar?.state ?? null))).toEqual([
      [null, "measured", "measured"],
      ["measured", null, "failed"],
      ["measured", null, null],
    ]);
  });

  it("tells each pair whole, and what has no value as what it is", () => {
    draw();
    const cells = screen.getAllByRole("img");
    expect(cells).toHaveLength(5);
    const labels = cells.map((one) => one.getAttribute("aria-label"));
    expect(labels).toContainEqual(expect.stringMatching(/^node-2 to node-1; 3\.0.*Gbit\/s; /));
    expect(labels).toContain("node-2 to node-10; failed; node is gone");
    expect(screen.getByText(/Dotted: not measured in this run\./)).toBeTruthy();
    expect(screen.getByText("failed")).toBeTruthy();
  });

  it("colours what is far from the best, in the direction that is worse", () => {
    draw();
    const depth = (from: string, to: string) =>
      Number(
        screen
          .getByLabelText(new RegExp(`^${from} to ${to};`))
          .querySelector("rect")
          ?.getAttribute("fill-opacity"),
      );
    expect(depth("node-2", "node-1")).toBeGreaterThan(0.25);
    expect(depth("node-1", "node-2")).toBe(0);
    expect(depth("node-1", "node-10")).toBeLessThan(0.02);
    expect(depth("node-2", "node-10")).toBe(0);
    expect(screen.getByText(/further from the best link \(higher is better\)/)).toBeTruthy();
    const grid = pairGrid(groups);
    expect([bestOf(grid, false), bestOf(grid, true)]).toEqual([9e9, 3e9]);
    const latency = { label: "", unit: "s", lower: true } as const;
    expect(shortfall(4e-5, 2e-5, latency)).toBe(0.5);
    expect(shortfall(0.2, 0, { label: "", unit: "ratio", lower: true })).toBe(0.2);
    expect(shortfall(3, 9, { label: "", unit: "s" })).toBe(0);
  });

  it("is one stop of the tabulator, and gone through by the arrow keys", async () => {
    draw();
    const user = userEvent.setup();
    const stops = screen.getAllByRole("img").filter((one) => one.getAttribute("tabindex") === "0");
    expect(stops).toHaveLength(1);
    stops[0]?.focus();
    const here = () => document.activeElement?.getAttribute("aria-label");
    expect(here()).toMatch(/^node-1 to node-2;/);
    await user.keyboard("{ArrowRight}");
    expect(here()).toMatch(/^node-1 to node-10;/);
    await user.keyboard("{ArrowRight}{ArrowDown}");
    expect(here()).toBe("node-2 to node-10; failed; node is gone");
    // A node with itself is jumped over.
    await user.keyboard("{ArrowLeft}");
    expect(here()).toMatch(/^node-2 to node-1;/);
    await user.keyboard("{ArrowDown}");
    expect(here()).toMatch(/^node-10 to node-1;/);
  });

  it("has a table twin with a row for each pair that was to be measured", () => {
    const table = pairTable(pairGrid(groups), y, ((key: string) => key) as never);
    expect(table.rows).toHaveLength(5);
    expect(table.rows.find((row) => row[1] === "node-10" && row[0] === "node-2")).toEqual([
      ...["node-2", "node-10", null, null, null, 0, "state.failed", "node is gone"],
    ]);
  });
});
