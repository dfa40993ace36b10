import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Schemas } from "~/api/types";
import { BesideTables } from "./beside_tables";

const both = { key: "", text: "Bandwidth" };
const ours = { key: { unit: "bit/s" }, value: 9.4e9, low: 9.3e9, high: 9.5e9, n: 12 };

function shown(quote: string, value: number, unit: string): string | null | undefined {
  const cell = { quote, value, unit, ours };
  const table = {
    ...{ id: "one", title: both, where: "1", figures: 1, measured: 1 },
    columns: [{ id: "a", printed: "pod" }],
    rows: [{ id: "r", printed: "row", cells: [cell] }],
  };
  render(
    <MantineProvider>
      <BesideTables
        found={{ language: "en", tables: [table] } as unknown as Schemas["Reproduction"]}
      />
    </MantineProvider>,
  );
  return screen.getAllByRole("cell").at(-2)?.textContent;
}

it("tells a published figure in the unit of ours, and as it is printed behind it", () => {
  expect(shown("1138 MBytes/sec", 1138 * 8 * 2 ** 20, "bit/s")).toBe(
    "9.55\u202fGbit/s (1138 MBytes/sec)",
  );
});

it("tells it once where it is printed in that unit", () => {
  expect(shown("9.41 Gbit/s", 9.41e9, "bit/s")).toBe("9.41 Gbit/s");
  expect(shown("47.1%", 0.471, "ratio")).toBe("47.1%");
});
