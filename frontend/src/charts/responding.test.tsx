import { MantineProvider } from "@mantine/core";
import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BarChart } from "./bar_chart";
import { CurveChart } from "./curve_chart";
import { legendIn } from "./exports/drawn";
import { withRoom } from "./test_room";
import type { BarGroup, Curve } from "./types";

const RUNGS = [10, 100, 500, 1000, 5000, 10_000];

const curve = (key: string, value: number): Curve => ({
  key,
  label: key,
  hue: 0,
  shade: 0,
  points: RUNGS.map((x) => ({
    x,
    state: "measured",
    n: 6,
    figure: { value: value + x / 1000, low: value + x / 1000 - 1, high: value + x / 1000 + 1 },
  })),
});

const drawCurves = (rungs = RUNGS) =>
  render(
    <MantineProvider env="test">
      <CurveChart
        title="Rate"
        x={{ label: "Services", scale: "linear" }}
        y={{ label: "Rate", unit: "1/s", scale: "linear" }}
        curves={[curve("iptables", 20), curve("IPVS", 40)].map((one) => ({
          ...one,
          points: one.points.filter(({ x }) => rungs.includes(x)),
        }))}
      />
    </MantineProvider>,
  );

const lines = (container: HTMLElement) => container.querySelectorAll(".recharts-line-curve").length;
const readout = (container: HTMLElement) =>
  container.querySelector("[data-readout]")?.textContent ?? "";

beforeEach(withRoom);

describe("a curve chart", () => {
  it("draws one series alone and all again, by buttons that say which is pressed", () => {
    const { container } = drawCurves();
    expect(lines(container)).toBe(2);
    const button = screen.getByRole("button", { name: "IPVS" });
    fireEvent.click(button);
    expect(lines(container)).toBe(1);
    expect(button.getAttribute("aria-pressed")).toBe("true");
    // A second one is added with a modifier.
    fireEvent.click(screen.getByRole("button", { name: "iptables" }), { ctrlKey: true });
    expect(lines(container)).toBe(2);
    fireEvent.click(button);
    expect(lines(container)).toBe(2);
    expect(button.getAttribute("aria-pressed")).toBe("false");
  });

  it("lets the others step back while a legend entry has the pointer or the keyboard", () => {
    const { container } = drawCurves();
    const faded = () => container.querySelectorAll(".recharts-line[opacity]").length;
    const button = screen.getByRole("button", { name: "IPVS" });
    fireEvent.pointerEnter(button);
    expect(faded()).toBe(1);
    fireEvent.pointerLeave(button);
    expect(faded()).toBe(0);
    fireEvent.focus(button);
    expect(faded()).toBe(1);
  });

  it("reads the last rung by itself, and the one that the arrow keys reach", () => {
    const { container } = drawCurves();
    expect(readout(container)).toBe("Services: 10,000");
    expect(container.textContent).toMatch(/iptables30.*29.*31.*n\u00a0=\u00a06/);
    const plot = container.querySelector(".recharts-surface") as SVGElement;
    act(() => plot.focus());
    fireEvent.keyDown(plot, { key: "ArrowRight" });
    expect(readout(container)).toBe("Services: 100");
    expect(container.textContent).toMatch(/iptables20\.1/);
    // A picture's legend has names alone.
    expect(legendIn(container).map(({ label }) => label)).toEqual(["iptables", "IPVS"]);
  });

  it("zooms with the brush's keys and shows all again", () => {
    const { container } = drawCurves();
    const [first, last] = container.querySelectorAll(".recharts-brush-traveller");
    expect(last).toBeDefined();
    fireEvent.focus(first as Element);
    fireEvent.keyDown(first as Element, { key: "ArrowRight" });
    const ticks = () =>
      [...container.querySelectorAll(".recharts-xAxis-tick-labels text")].map(
        ({ textContent }) => textContent,
      );
    fireEvent.keyDown(last as Element, { key: "ArrowLeft" });
    expect(ticks()).toContain("5,000");
    expect(ticks()).not.toContain("10,000");
    fireEvent.click(screen.getByRole("button", { name: "Show all" }));
    expect(ticks()).toContain("10,000");
    expect(screen.queryByRole("button", { name: "Show all" })).toBeNull();
  });

  it("has a brush only over more than four rungs", () => {
    const { container } = drawCurves(RUNGS.slice(0, 4));
    expect(container.querySelector(".recharts-brush")).toBeNull();
  });
});

describe("a bar chart", () => {
  afterEach(() => void vi.unstubAllGlobals());

  const group = (key: string): BarGroup => ({
    key,
    label: key,
    bars: ["host-gw", "VXLAN"].map((mode, place) => ({
      key: mode,
      label: mode,
      hue: place,
      shade: 0,
      state: "measured",
      n: 6,
      figure: { value: 2e9, low: 1e9, high: 3e9 },
    })),
  });

  it("draws one series alone, and reads the group that the arrow keys reach", () => {
    const { container } = render(
      <MantineProvider env="test">
        <BarChart
          title="Throughput"
          y={{ label: "Throughput", unit: "bit/s" }}
          groups={[group("node-node"), group("pod-pod")]}
        />
      </MantineProvider>,
    );
    const bars = () => container.querySelectorAll(".recharts-bar-rectangle path").length;
    expect(bars()).toBe(4);
    fireEvent.click(screen.getByRole("button", { name: "VXLAN" }));
    expect(bars()).toBe(2);
    const plot = container.querySelector(".recharts-surface") as SVGElement;
    act(() => plot.focus());
    fireEvent.keyDown(plot, { key: "ArrowDown" });
    expect(readout(container)).toMatch(/node-node|pod-pod/);
    expect(container.textContent).toMatch(/VXLAN2\.0.*1\.0.*3\.0.*n\u00a0=\u00a06/);
  });

  it("says how to read an interval: with a pointer, or by a tap where there is none", () => {
    const draw = () =>
      render(
        <MantineProvider env="test">
          <BarChart
            title="Throughput"
            y={{ label: "Throughput", unit: "bit/s" }}
            groups={[group("node-node")]}
          />
        </MantineProvider>,
      );
    const { container, unmount } = draw();
    expect(readout(container)).toBe("Point at a bar, or use the arrow keys, for its interval.");
    unmount();
    const asked = window.matchMedia;
    vi.stubGlobal("matchMedia", (query: string) => ({
      ...asked(query),
      matches: query === "(hover: none)",
    }));
    expect(readout(draw().container)).toBe("Tap a bar for its interval.");
  });
});
