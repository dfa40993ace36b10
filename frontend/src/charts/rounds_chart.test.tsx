import { MantineProvider } from "@mantine/core";
import { fireEvent, render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { RoundsChart } from "./rounds_chart";

/** Which choice the page showed as made when a chart was drawn. */
const chosen = vi.hoisted((): [title: string, choice: string | undefined][] => []);
vi.mock("./curve_chart", () => ({
  CurveChart: ({ title }: { title: string }) => {
    chosen.push([title, document.querySelector("label[data-active]")?.textContent ?? undefined]);
    return <h3>{title}</h3>;
  },
}));

it("shows what was pressed before it draws the chart", async () => {
  const values = [[1, 2], [3]];
  render(
    <MantineProvider env="test">
      <RoundsChart
        y={{ label: "Rate", unit: "1/s" }}
        sides={[{ key: "ipvs", label: "IPVS", hue: 0, shade: 0, values }]}
      />
    </MantineProvider>,
  );
  const title = "Rate: distribution of rounds";
  fireEvent.click(screen.getByRole("radio", { name: "Distribution" }));
  expect(await screen.findByRole("heading", { name: title })).toBeTruthy();
  expect(chosen.find(([drawn]) => drawn === title)).toEqual([title, "Distribution"]);
});
