import { MantineProvider } from "@mantine/core";
import { act, fireEvent, render, screen } from "@testing-library/react";
import { type ComponentProps, type ComponentType, useState } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { CurveChart } from "./curve_chart";
import { ShownAsInAddress } from "./shown_as";
import { withRoom } from "./test_room";
import type { Curve } from "./types";
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
