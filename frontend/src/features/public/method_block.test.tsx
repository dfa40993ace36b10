import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Schemas } from "~/api/types";
import { MethodBlock } from "./method_block";

it("tells the method by which the verdicts were reached, as the server says it", () => {
  const statistics = "A comparison is van Elteren's rank test.";
  const content = {
    method: { runs: [], environments: [], statistics, version: 1 },
    withheld: [],
    kept: [],
  } as unknown as Schemas["SnapshotContent"];
  render(
    <MantineProvider>
      <MethodBlock content={content} />
    </MantineProvider>,
  );
  expect(screen.getByRole("heading", { name: "How it was measured" })).toBeTruthy();
  expect(screen.getByText("Statistics (method 1)")).toBeTruthy();
  expect(screen.getByText(statistics)).toBeTruthy();
});

it("tells the plan of a run that was measured, and none of an import", () => {
  const plan = { trials: 2, rounds: 6, warmup: 1, seed: 1 };
  const run = (name: string, seconds: number) => ({
    ...{ run_id: name, name, parameters: {}, axes: {}, commands: [], complete: true },
    repetition: { ...plan, seconds },
  });
  const content = {
    method: {
      ...{ runs: [run("measured", 3), run("pasted", 0)], environments: [] },
      ...{ statistics: "", version: 1 },
    },
    withheld: [],
    kept: [],
  } as unknown as Schemas["SnapshotContent"];
  render(
    <MantineProvider env="test">
      <MethodBlock content={content} />
    </MantineProvider>,
  );
  expect(screen.getAllByText(/counted trials of each case/)).toHaveLength(1);
});
