import { MantineProvider } from "@mantine/core";
import { render } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { CurveChart } from "./curve_chart";
import { withRoom } from "./test_room";
import type { Curve } from "./types";

const curve = (key: string): Curve => ({
  key,
  label: key,
  hue: 0,
  shade: 0,
  points: [0, 10_000].map((x) => ({
    x,
    state: "measured",
    n: 2,
    figure: { value: 2, low: 1, high: 3 },
    trials: [1, 3],
  })),
});

beforeEach(withRoom);

it("keeps every trial between the first and the last x, each curve's apart", () => {
  const { container } = render(
    <MantineProvider>
      <CurveChart
        title="Rate"
        x={{ label: "Services", scale: "linear" }}
        y={{ label: "Rate", unit: "1/s", scale: "linear" }}
        curves={["iptables", "IPVS", "nftables"].map(curve)}
      />
    </MantineProvider>,
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
