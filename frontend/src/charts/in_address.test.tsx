import { MantineProvider } from "@mantine/core";
import { act, fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { CurveChart } from "./curve_chart";
import { ShownAsInAddress } from "./shown_as";
import { withRoom } from "./test_room";
import type { Curve } from "./types";
import { type ChartView, readChartView } from "./view";

const curve = (key: string, hue: number): Curve => ({
  key,
  label: key,
  hue,
  shade: 0,
  points: [10, 100, 500, 1000, 5000, 10_000].map((x) => ({
    x,
    state: "measured",
    n: 6,
    figure: { value: x, low: x - 1, high: x + 1 },
  })),
});
const CURVES = [curve("iptables", 0), curve("IPVS", 1)];

let address: ChartView;

/** A page that keeps its view in its address. */
function Page() {
  const [view, setView] = useState(address);
  return (
    <MantineProvider env="test">
      <ShownAsInAddress
        view={view}
        change={(part) => {
          // What an address keeps of it.
          address = readChartView(JSON.parse(JSON.stringify({ ...view, ...part })));
          setView(address);
        }}
      >
        {["qps", "latency"].map((name) => (
          <CurveChart
            key={name}
            name={name}
            title={name}
            x={{ label: "Services", scale: "linear" }}
            y={{ label: name, unit: "1/s", scale: "linear" }}
            curves={CURVES}
          />
        ))}
      </ShownAsInAddress>
    </MantineProvider>
  );
}

beforeEach(() => {
  address = {};
  vi.useFakeTimers();
  const restore = withRoom();
  return () => {
    restore();
    vi.useRealTimers();
  };
});

it("shows all where an address asks for rungs that there are not", () => {
  address = { ranges: { qps: [20, 30] } };
  render(<Page />);
  expect(ticks("qps")).toContain("10,000");
  expect(screen.queryByRole("button", { name: "Show all" })).toBeNull();
});

const chart = (name: string) => screen.getByRole("region", { name });
const lines = (name: string) => chart(name).querySelectorAll(".recharts-line-curve").length;
const ticks = (name: string) =>
  [...chart(name).querySelectorAll(".recharts-xAxis-tick-labels text")].map(
    ({ textContent }) => textContent,
  );

it("keeps a series that is drawn alone, and a permalink draws it alone", () => {
  const { unmount } = render(<Page />);
  fireEvent.click(screen.getAllByRole("button", { name: "IPVS" })[0] as Element);
  expect(address).toEqual({ alone: { qps: ["IPVS"] } });
  expect([lines("qps"), lines("latency")]).toEqual([1, 2]);
  unmount();
  render(<Page />);
  expect([lines("qps"), lines("latency")]).toEqual([1, 2]);
  fireEvent.click(screen.getAllByRole("button", { name: "IPVS" })[0] as Element);
  expect(address).toEqual({});
  expect(lines("qps")).toBe(2);
});

it("keeps what a chart is zoomed to once the hand rests, and a permalink shows the same", () => {
  const { unmount } = render(<Page />);
  const [, last] = chart("latency").querySelectorAll(".recharts-brush-traveller");
  fireEvent.focus(last as Element);
  fireEvent.keyDown(last as Element, { key: "ArrowLeft" });
  expect(address).toEqual({});
  act(() => void vi.advanceTimersByTime(300));
  expect(address).toEqual({ ranges: { latency: [10, 5000] } });
  unmount();
  render(<Page />);
  expect(ticks("latency")).not.toContain("10,000");
  expect(ticks("qps")).toContain("10,000");
  fireEvent.click(screen.getByRole("button", { name: "Show all" }));
  act(() => void vi.advanceTimersByTime(300));
  expect(address).toEqual({});
  expect(ticks("latency")).toContain("10,000");
});
