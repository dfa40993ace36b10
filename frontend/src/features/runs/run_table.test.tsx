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

it("says what a run answered, with its caveats, whole in the title where it is cut", () => {
  const text = "nftables gives 12 times the requests per second of iptables";
  const said = (code: string, text: string) => ({ code, parameters: {}, text });
  const caveat = "The nodes are one machine";
  const answer = { sentence: said("gives_times", text), caveats: [said("shared_host", caveat)] };
  const progress = { pending: 0, running: 0, succeeded: 3, failed: 1, skipped: 0 };
  show({ answer, progress });
  expect(screen.getByText("1 failed ·")).toBeDefined();
  expect(screen.getByRole("img", { name: "1 caveat" })).toBeDefined();
  expect(screen.getByText(text).parentElement?.title).toBe(`${text}\n${caveat}`);
});

it("says how the cases of a run without an answer stand", () => {
  show({ progress: { pending: 0, running: 0, succeeded: 1, failed: 3, skipped: 0 } });
  expect(screen.getByText("4/4 · 3 failed")).toBeDefined();
});
