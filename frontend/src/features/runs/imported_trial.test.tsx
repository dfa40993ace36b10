import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { IMPORT } from "~/api/kinds";
import { type RunDetail, type TrialDetail, trialOptions } from "~/queries/runs";
import { aRun, aTrial } from "./samples";
import { TrialView } from "./trial_view";

type Invocation = TrialDetail["invocations"][number];

function show(kind: RunDetail["kind"], changes: Partial<TrialDetail>, of: Partial<Invocation>) {
  const run = { ...aRun({ kind, state: "finished" }), metrics: [] } as unknown as RunDetail;
  const invocation = {
    ...{ tool: "curl", version: "8.14.1", argv: ["curl"], place: "imported" },
    ...{ exit_code: 0, seconds: 2, stdout: "", stderr: "", ...of },
  };
  const detail = { case_key: "", facts: {}, measurements: [], series: [] };
  const trial = { ...aTrial(1), ...detail, invocations: [invocation], ...changes };
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  client.setQueryData(trialOptions(run.id, 1).queryKey, trial);
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={client}>
        <TrialView run={run} trialId={1} />
      </QueryClientProvider>
    </MantineProvider>,
  );
}

const TIMES = ["Started", "Measuring", "Tool duration", "Exit code", "Overhead until stored"];

it("leaves out what a pasted text does not tell, instead of showing 0 s", () => {
  const untold = { seconds: null, tool_seconds: null, overhead_seconds: null, started_at: null };
  show(IMPORT, untold, { exit_code: null, seconds: null });
  for (const term of TIMES) expect(screen.queryByText(term)).toBeNull();
  expect(screen.queryByText(/^0 /)).toBeNull();
});

it("shows what is known of a measured trial", () => {
  show("throughput", {}, {});
  for (const term of TIMES) expect(screen.getAllByText(term).length).toBeGreaterThan(0);
});
