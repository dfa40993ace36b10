import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Schemas } from "~/api/types";
import { MethodBlock } from "./method_block";

function said(version: number): string {
  const content = {
    method: { runs: [], environments: [], statistics: "", version },
    withheld: [],
    kept: [],
  } as unknown as Schemas["SnapshotContent"];
  const { container, unmount } = render(
    <MantineProvider>
      <MethodBlock content={content} />
    </MantineProvider>,
  );
  expect(screen.getByRole("heading", { name: "How it was measured" })).toBeTruthy();
  const text = container.textContent ?? "";
  unmount();
  return text;
}

it("tells the method by which the verdicts were reached, not a later one", () => {
  expect(said(1)).toContain("Method 1: every trial was evidence");
  expect(said(3)).toContain("Method 3:");
  expect(said(3)).toContain("two runs are never called different");
  expect(said(4)).toContain("rounds (between modes) with a paired t test");
  expect(said(4)).toContain("more than the cluster's noise floor");
  expect(said(5)).toContain("between modes and rungs of a ladder");
  expect(said(6)).toContain("and sides with one trial per round");
});
