import { MantineProvider } from "@mantine/core";
import { act, fireEvent, render, screen } from "@testing-library/react";
import { Profiler } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { BarChart } from "./bar_chart";
import { CurveChart } from "./curve_chart";
import { CurveMarker } from "./markers";
import { lookOf } from "./palette";
import { SeriesPlot } from "./series_plot";
import { withRoom } from "./test_room";
import type { BarGroup, Curve } from "./types";

vi.mock("./markers", async (load) => {
  const markers = await load<typeof import("./markers")>();
  return { ...markers, CurveMarker: vi.fn(markers.CurveMarker), Dots: vi.fn(markers.Dots) };
});
vi.mock("./palette", async (load) => {
  const palette = await load<typeof import("./palette")>();
  return { ...palette, lookOf: vi.fn(palette.lookOf) };
});

const RUNGS = Array.from({ length: 40 }, (_, place) => 10 * (place + 1));
const MODES = ["iptables", "IPVS", "nftables", "eBPF"];

const curves: Curve[] = MODES.map((key, hue) => ({
  key,
  label: key,
  hue,
  shade: 0,
  points: RUNGS.map((x) => ({
    x,
    state: "measured",
    n: 6,
    figure: { value: hue + x, low: x, high: hue + x + 2 },
    trials: [x, x + 1, x + 2],
  })),
}));

beforeEach(withRoom);

/** How often any of the mocked parts of a plot was drawn by what `move` does. */
function drawnBy(move: () => void): number {
  vi.mocked(CurveMarker).mockClear();
  vi.mocked(lookOf).mockClear();
  move();
  return vi.mocked(CurveMarker).mock.calls.length;
}

it("moves the readout along the curves and draws none again", () => {
  const { container } = render(
    <MantineProvider env="test">
      <CurveChart
        title="Rate"
        x={{ label: "Services", scale: "linear" }}
        y={{ label: "Rate", unit: "1/s", scale: "linear" }}
        curves={curves}
      />
    </MantineProvider>,
  );
  expect(vi.mocked(CurveMarker).mock.calls.length).toBeGreaterThanOrEqual(160);
  const readout = () => container.querySelector("[data-readout]")?.textContent;
  const plot = container.querySelector(".recharts-surface") as SVGElement;
  const before = readout();
  const keys = drawnBy(() => {
    act(() => plot.focus());
    for (let press = 0; press < 10; press++) fireEvent.keyDown(plot, { key: "ArrowRight" });
  });
  expect(readout()).not.toBe(before);
  expect(keys).toBe(0);
});

it("draws no curve again while a legend entry has the pointer", () => {
  const { container } = render(
    <MantineProvider env="test">
      <CurveChart
        title="Rate"
        x={{ label: "Services", scale: "linear" }}
        y={{ label: "Rate", unit: "1/s", scale: "linear" }}
        curves={curves}
      />
    </MantineProvider>,
  );
  const entry = screen.getByRole("button", { name: "IPVS" });
  expect(drawnBy(() => fireEvent.pointerEnter(entry))).toBe(0);
  expect(container.querySelectorAll(".recharts-line[opacity]")).toHaveLength(3);
  expect(container.querySelectorAll(".recharts-area[opacity]")).toHaveLength(3);
  fireEvent.pointerLeave(entry);
  expect(container.querySelectorAll("[opacity='0.15']")).toHaveLength(0);
});

it("lets bars, whiskers and trials of other series step back, and draws none again", () => {
  const group = (key: string): BarGroup => ({
    key,
    label: key,
    bars: MODES.map((mode, hue) => ({
      key: mode,
      label: mode,
      hue,
      shade: 0,
      state: "measured",
      n: 6,
      figure: { value: 2, low: 1, high: 3 },
      trials: [1, 2, 3],
    })),
  });
  const { container } = render(
    <MantineProvider env="test">
      <BarChart
        title="Throughput"
        y={{ label: "Throughput", unit: "bit/s" }}
        groups={["a", "b"].map(group)}
      />
    </MantineProvider>,
  );
  vi.mocked(lookOf).mockClear();
  fireEvent.pointerEnter(screen.getByRole("button", { name: "IPVS" }));
  expect(container.querySelectorAll(".recharts-bar[opacity]")).toHaveLength(3);
  // Three series' bars, their whiskers in two groups each, and their trials.
  expect(container.querySelectorAll("[opacity='0.15']")).toHaveLength(3 + 6 + 3);
  expect(vi.mocked(lookOf)).not.toHaveBeenCalled();
});

it("moves the line over a trial's series and draws none of them again", () => {
  const series = [
    {
      key: "cpu",
      label: "CPU",
      unit: "ratio" as const,
      place: 0,
      offsets: Array.from({ length: 5000 }, (_, at) => at / 1000),
      values: Array.from({ length: 5000 }, (_, at) => at % 7),
    },
  ];
  const times: string[] = [];
  const { container } = render(
    <MantineProvider env="test">
      <Profiler id="plot" onRender={(_, phase) => times.push(phase)}>
        <SeriesPlot title="CPU" unit="ratio" series={series} range={[0, 5]} width={800} />
      </Profiler>
    </MantineProvider>,
  );
  const plot = container.querySelector("svg") as SVGElement;
  vi.mocked(lookOf).mockClear();
  for (let x = 100; x < 700; x += 10) fireEvent.pointerMove(plot, { clientX: x });
  expect(container.querySelector("[data-passing]")).not.toBeNull();
  expect(times.length).toBeGreaterThan(30);
  // The tooltip's own line has a colour, the drawing's paths have two each.
  expect(vi.mocked(lookOf).mock.calls.length).toBeLessThanOrEqual(times.length);
});
