import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { HeatChart } from "./heat_chart";
import { columnsOf, heatTable } from "./heat_rows";
import type { Bar, BarGroup } from "./types";

const cell = (label: string, value: number, clear = true): Bar => ({
  key: label,
  label,
  hue: 0,
  shade: 0,
  state: "measured",
  n: 6,
  figure: { value, low: value - 0.01, high: value + 0.01, confidence: 0.95 },
  difference: { value: value / 1000, low: (value - 0.01) / 1000, high: (value + 0.01) / 1000 },
  clear,
});
const failed: Bar = {
  key: "1M",
  label: "1 MiB",
  hue: 0,
  shade: 0,
  figure: null,
  n: 0,
  state: "failed",
};
const groups: BarGroup[] = [
  { key: "10", label: "10", bars: [cell("0.5 KiB", 0.016, false), failed] },
  {
    key: "200",
    label: "200",
    bars: [cell("0.5 KiB", 0.07), { ...cell("1 MiB", -0.02), key: "1M" }],
  },
];
const y = { label: "Added", unit: "ratio" } as const;
const axes = { rows: "Policies", columns: "Size" };

const draw = () =>
  render(
    <MantineProvider>
      <HeatChart title="Cost" y={y} groups={groups} differences="s" axes={axes} />
    </MantineProvider>,
  );

describe("a heatmap", () => {
  it("has a cell for each value, told whole and reached by keyboard", () => {
    draw();
    const cells = screen.getAllByRole("img");
    expect(cells).toHaveLength(4);
    for (const one of cells) expect(one.getAttribute("tabindex")).toBe("0");
    const most = cells.find((one) => one.getAttribute("aria-label")?.startsWith("200, 0.5 KiB"));
    expect(most?.getAttribute("aria-label")).toMatch(/\+7\.0.%; \[\+6\.0.to.\+8\.0.%\]; \+70.µs/);
    expect(most?.textContent).toContain("+7.0");
  });

  it("shows what has no value as what it is, never as a colour", () => {
    const { container } = draw();
    const colours = [...container.querySelectorAll("svg [role=img] rect")].map((one) => ({
      depth: Number(one.getAttribute("fill-opacity")),
      dashed: one.getAttribute("stroke-dasharray") !== null,
    }));
    expect(colours.map(({ depth }) => depth > 0)).toEqual([true, false, true, true]);
    expect(colours.map(({ dashed }) => dashed)).toEqual([true, true, false, false]);
    const [first, , deepest] = colours;
    expect(deepest?.depth).toBeGreaterThan(first?.depth ?? 1);
  });

  it("has a table twin with a row for each cell", () => {
    const table = heatTable(groups, y, "s", axes, ((key: string) => key) as never);
    expect(table.rows).toHaveLength(4);
    expect(table.columns[5]?.unit).toBe("s");
    expect(table.rows[1]?.slice(0, 4)).toEqual(["10", "1 MiB", null, null]);
    expect(table.rows[2]?.slice(2, 6)).toEqual([0.07, 0.07 - 0.01, 0.07 + 0.01, 0.07 / 1000]);
    expect(columnsOf(groups).map(({ key }) => key)).toEqual(["0.5 KiB", "1M"]);
  });
});
