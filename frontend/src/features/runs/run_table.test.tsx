import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { Answered } from "./run_table";
import { aRun } from "./samples";

function show(changes: Parameters<typeof aRun>[0]) {
  render(
    <MantineProvider env="test">
      <Answered run={aRun(changes)} />
    </MantineProvider>,
  );
}

it("says what a run answered, whole in the title where it is cut", () => {
  const text = "nftables gives 12 times the requests per second of iptables";
  show({ answer: { code: "gives_times", parameters: {}, text } });
  expect(screen.getByText(text).title).toBe(text);
});

it("says how the cases of a run without an answer stand", () => {
  show({ progress: { pending: 0, running: 0, succeeded: 1, failed: 3, skipped: 0 } });
  expect(screen.getByText("4/4 · 3 failed")).toBeDefined();
});
