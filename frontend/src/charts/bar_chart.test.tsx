import { MantineProvider } from "@mantine/core";
import { render } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { BarChart } from "./bar_chart";
import type { BarGroup } from "./types";

const loss = (key: string, value: number): BarGroup => ({
  key,
  label: key,
  bars: [
    {
      key: "vxlan",
      label: "VXLAN",
      state: "measured",
      n: 6,
      figure: { value, low: value - 0.01, high: value + 0.01 },
    },
  ],
});

// What is drawn depends on the room there is, and jsdom gives none.
beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, "getBoundingClientRect").mockImplementation(function (
    this: HTMLElement,
  ) {
    return this.classList.contains("recharts-wrapper")
      ? new DOMRect(0, 0, 800, 300)
      : new DOMRect(0, 0, 20, 12);
  });
  return () => vi.restoreAllMocks();
});

it("draws bars from zero to both sides, by the ticks that it brings", () => {
  const { container } = render(
    <MantineProvider>
      <BarChart
        title="Loss"
        y={{ label: "Loss", unit: "ratio" }}
        groups={[loss("pod-pod", 0.2), loss("pod-node", -0.05)]}
        zeroLabel="as node to node"
      />
    </MantineProvider>,
  );
  expect(container.querySelectorAll(".recharts-bar-rectangle path")).toHaveLength(2);
  const ticks = [...container.querySelectorAll(".recharts-xAxis-tick-labels text")];
  expect(ticks.map(({ textContent }) => textContent)).toContain("0");
});
