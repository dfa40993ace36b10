import { MantineProvider } from "@mantine/core";
import { render } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { scaleOf } from "~/quantities/format";
import { BarChart } from "./bar_chart";
import { valueText } from "./figure_text";
import { GROUND } from "./palette";
import { withRoom } from "./test_room";
import type { BarGroup } from "./types";

const loss = (key: string, value: number): BarGroup => ({
  key,
  label: key,
  bars: [
    {
      key: "vxlan",
      label: "VXLAN",
      hue: 1,
      shade: 0,
      state: "measured",
      n: 6,
      figure: { value, low: value - 0.01, high: value + 0.01 },
    },
  ],
});

beforeEach(withRoom);

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

it("has zero inside the picture where nothing changed", () => {
  const none = loss("pod-pod", 0);
  const { container } = render(
    <MantineProvider>
      <BarChart
        title="Loss"
        y={{ label: "Loss", unit: "ratio" }}
        groups={[{ ...none, bars: none.bars.map((bar) => ({ ...bar, figure: { value: 0 } })) }]}
        zeroLabel="no change"
      />
    </MantineProvider>,
  );
  const ticks = [...container.querySelectorAll(".recharts-xAxis-tick-labels text")];
  expect(ticks.map(({ textContent }) => textContent)).toEqual(
    expect.arrayContaining(["-1", "0", "1"]),
  );
});

it("crosses no label with the line at zero, and draws every interval", () => {
  const { container } = render(
    <MantineProvider>
      <BarChart
        title="Loss"
        y={{ label: "Loss", unit: "ratio" }}
        groups={[loss("pod-pod", 0.2), loss("pod-service-pod", -0.3), loss("pod-node", -0.05)]}
      />
    </MantineProvider>,
  );
  const line = container.querySelector("path[data-zero]")?.getAttribute("d") ?? "";
  const parts = [...line.matchAll(/M[\d.-]+ ([\d.-]+)V([\d.-]+)/g)].map(([, from, to]) => ({
    from: Number(from),
    to: Number(to),
  }));
  expect(parts).toHaveLength(3);
  const labels = [...container.querySelectorAll("text[font-weight='600']")];
  expect(labels.map(({ textContent }) => textContent)).toContain("pod-service-pod");
  for (const label of labels) {
    const foot = Number(label.getAttribute("y"));
    const size = Number(label.getAttribute("font-size"));
    for (const { from, to } of parts) expect(to < foot - size || from > foot).toBe(true);
  }
  const whiskers = [...container.querySelectorAll("path[data-whisker]")];
  expect(whiskers).toHaveLength(3);
  // What sets it apart from its bar.
  for (const whisker of whiskers) {
    const under = whisker.previousElementSibling;
    expect(under?.getAttribute("d")).toBe(whisker.getAttribute("d"));
    expect(under?.getAttribute("stroke")).toBe(GROUND);
  }
});

it("draws the parts of a whole end to end, and says what they are together", () => {
  const part = (key: string, value: number) => ({
    key,
    label: key,
    hue: 0,
    shade: 0,
    state: "measured" as const,
    n: 6,
    figure: { value, low: value - 0.1, high: value + 0.1 },
    trials: [value],
  });
  const { container } = render(
    <MantineProvider>
      <BarChart
        title="Parts"
        y={{ label: "Parts", unit: "s" }}
        groups={[{ key: "pod-pod", label: "Pod", bars: [part("one", 1), part("other", 2)] }]}
        stacked
      />
    </MantineProvider>,
  );
  const ends = [...container.querySelectorAll(".recharts-bar-rectangle path")].map((path) => ({
    x: Number(path.getAttribute("x")),
    width: Number(path.getAttribute("width")),
  }));
  expect(ends).toHaveLength(2);
  const [first, second] = ends as [(typeof ends)[0], (typeof ends)[0]];
  expect(second.x).toBeCloseTo(first.x + first.width, 0);
  expect(second.width).toBeCloseTo(2 * first.width, 0);
  expect(container.textContent).toContain(valueText({ value: 3 }, "s", scaleOf(3, "s")));
  // Dots and whiskers would lie where the parts of others are.
  expect(container.textContent).not.toContain("single trials");
});
