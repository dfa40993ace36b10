import { MantineProvider } from "@mantine/core";
import { act, fireEvent, render } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { CurveChart } from "./curve_chart";
import { ShownAsInAddress } from "./shown_as";
import { withRoom } from "./test_room";
import type { Curve } from "./types";

const curve = (key: string, xs = [0, 10_000]): Curve => ({
  key,
  label: key,
  hue: 0,
  shade: 0,
  points: xs.map((x) => ({
    x,
    state: "measured",
    n: 2,
    figure: { value: 2, low: 1, high: 3 },
    trials: [1, 3],
  })),
});

const Chart = ({ curves }: { curves: Curve[] }) => (
  <CurveChart
    name="rate"
    title="Rate"
    x={{ label: "Services", scale: "linear" }}
    y={{ label: "Rate", unit: "1/s", scale: "linear" }}
    curves={curves}
  />
);

beforeEach(withRoom);

it("keeps every trial between the first and the last x, each curve's apart", () => {
  const { container } = render(
    <Chart curves={["iptables", "IPVS", "nftables"].map((key) => curve(key))} />,
    {
      wrapper: MantineProvider,
    },
  );
  const ends = [...container.querySelectorAll(".recharts-wrapper circle[r='4.5']")].map((circle) =>
    Number(circle.getAttribute("cx")),
  );
  const drawn = [...container.querySelectorAll(".recharts-wrapper path[data-trials]")];
  expect(drawn).toHaveLength(3);
  const dots = drawn.map((path) =>
    [...(path.getAttribute("d") ?? "").matchAll(/M([\d.-]+) /g)].map(([, x]) => Number(x)),
  );
  expect(new Set(dots.map(([first]) => first)).size).toBe(3);
  expect(Math.min(...dots.flat())).toBeGreaterThanOrEqual(Math.min(...ends));
  expect(Math.max(...dots.flat())).toBeLessThanOrEqual(Math.max(...ends));
});

it("draws a sign and an interval for each curve where it is zoomed to one x", () => {
  const { container } = render(
    <ShownAsInAddress view={{ ranges: { rate: [100, 100] } }} change={() => undefined}>
      <Chart curves={["iptables", "IPVS"].map((key) => curve(key, [10, 100, 500, 1000, 5000]))} />
    </ShownAsInAddress>,
    { wrapper: MantineProvider },
  );
  expect(container.querySelectorAll(".recharts-wrapper circle[r='4.5']")).toHaveLength(2);
  expect(container.querySelectorAll("path[data-lone]")).toHaveLength(2);
  // Recharts puts these where a line or a band has a single point.
  expect(container.querySelectorAll(".recharts-dot")).toHaveLength(0);
});

it("reads points that nothing joins to the keyboard", () => {
  const broken = curve("iptables", [10, 100, 1000]);
  broken.points = broken.points.map((point) =>
    point.x === 100 ? { x: 100, state: "failed", n: 0, figure: null } : point,
  );
  const { container } = render(<Chart curves={[broken]} />, {
    wrapper: MantineProvider,
  });
  const readout = () => container.querySelector("[data-readout]")?.textContent;
  const plot = container.querySelector(".recharts-surface") as SVGElement;
  act(() => plot.focus());
  const read = [readout()];
  for (let press = 0; press < 2; press++) {
    fireEvent.keyDown(plot, { key: "ArrowRight" });
    read.push(readout());
  }
  expect(new Set(read).size).toBe(3);
});
