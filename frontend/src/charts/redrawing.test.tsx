import { MantineProvider } from "@mantine/core";
import { act, fireEvent, render, screen } from "@testing-library/react";
import { type ComponentProps, type ComponentType, useState } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { BarChart } from "./bar_chart";
import { CurveChart } from "./curve_chart";
import { ShownAsInAddress } from "./shown_as";
import { withRoom } from "./test_room";
import type { BarGroup, Curve } from "./types";
import type { ChartView } from "./view";

const drawn = vi.hoisted(() => vi.fn());
vi.mock("recharts", async (load) => {
  const recharts = await load<typeof import("recharts")>();
  type Props = ComponentProps<typeof recharts.ComposedChart>;
  const Chart = recharts.ComposedChart as ComponentType<Props>;
  return {
    ...recharts,
    ComposedChart: (props: Props) => {
      drawn();
      return <Chart {...props} />;
    },
  };
});

const figure = { value: 20, low: 19, high: 21 };
const curve = (key: string): Curve => ({
  ...{ key, label: key, hue: 0, shade: 0 },
  points: [10, 100, 500, 1000, 5000].map((x) => ({ x, state: "measured", n: 6, figure })),
});
const CURVES = [curve("iptables"), curve("IPVS")];
const X = { label: "Services", scale: "linear" } as const;
const Y = { label: "Rate", unit: "1/s", scale: "linear" } as const;
const GROUPS = ["node-node", "pod-pod"].map(
  (key): BarGroup => ({
    ...{ key, label: key },
    bars: [{ key: "", label: "", hue: 0, shade: 0, state: "measured", n: 6, figure }],
  }),
);

/** A page that keeps its view in its address. */
function Page() {
  const [view, setView] = useState<ChartView>({});
  return (
    <MantineProvider env="test">
      <ShownAsInAddress view={view} change={(part) => setView({ ...view, ...part })}>
        <CurveChart name="rate" title="Rate" x={X} y={Y} curves={CURVES} />
      </ShownAsInAddress>
      <output>{JSON.stringify(view)}</output>
    </MantineProvider>
  );
}

beforeEach(withRoom);

it("draws what is zoomed to once, and not again when the address gets it", () => {
  vi.useFakeTimers();
  const { container } = render(<Page />);
  const [, last] = container.querySelectorAll(".recharts-brush-traveller");
  fireEvent.focus(last as Element);
  drawn.mockClear();
  fireEvent.keyDown(last as Element, { key: "ArrowLeft" });
  expect(drawn).toHaveBeenCalledTimes(1);
  act(() => void vi.advanceTimersByTime(300));
  expect(screen.getByRole("status").textContent).toBe('{"ranges":{"rate":[10,1000]}}');
  expect(drawn).toHaveBeenCalledTimes(1);
  vi.useRealTimers();
});

describe("a chart of which only the description changes", () => {
  const replaced = (chart: (description: string) => React.ReactNode, marks: string) => {
    const page = (text: string) => <MantineProvider env="test">{chart(text)}</MantineProvider>;
    const { container, rerender } = render(page("before"));
    const parts = () => [...container.querySelectorAll(marks)];
    const before = parts();
    expect(before.length).toBeGreaterThan(1);
    rerender(page("after"));
    expect(container.textContent).toContain("after");
    const after = new Set(parts());
    return before.filter((part) => !after.has(part));
  };

  it("keeps the nodes of its curves and axes", () => {
    const gone = replaced(
      (description) => (
        <CurveChart title="Rate" description={description} x={X} y={Y} curves={CURVES} />
      ),
      ".recharts-line-curve, .recharts-area-area, .recharts-cartesian-axis-tick",
    );
    expect(gone).toEqual([]);
  });

  it("keeps the nodes of its bars and axes", () => {
    const gone = replaced(
      (description) => (
        <BarChart title="Rate" description={description} y={Y} groups={GROUPS} zeroLabel="same" />
      ),
      ".recharts-bar-rectangle, .recharts-cartesian-axis-tick",
    );
    expect(gone).toEqual([]);
  });
});
