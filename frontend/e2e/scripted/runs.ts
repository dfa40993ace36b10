import { expect, type Rest } from "../fixtures";
import { until } from "../until";

interface Run {
  state: string;
  outcome: string | null;
  reason: unknown;
}

/** A run of this experiment on the scripted cluster, once it ended well. */
export async function measured(rest: Rest, experiment: object): Promise<string> {
  const run = await queued(rest, experiment);
  await succeeded(rest, run);
  return run;
}

/** A run of this experiment on the scripted cluster, once it ended, and how. */
export async function ended(
  rest: Rest,
  experiment: object,
): Promise<{ run: string; outcome: string | null }> {
  const run = await queued(rest, experiment);
  const { outcome } = await end(rest, run);
  return { run, outcome };
}

/** Waits for the end of a run, which must succeed. */
export async function succeeded(rest: Rest, run: string): Promise<void> {
  const { outcome, reason } = await end(rest, run);
  expect(outcome, JSON.stringify(reason)).toBe("succeeded");
}

async function queued(rest: Rest, experiment: object): Promise<string> {
  const { items } = await rest.get<{ items: { id: string }[] }>("/clusters");
  const { id } = await rest.post<{ id: string }>("/experiments", experiment);
  const run = await rest.post<{ id: string }>(`/experiments/${id}/runs`, {
    cluster_id: items[0]?.id,
  });
  return run.id;
}

async function end(rest: Rest, id: string): Promise<Run> {
  let run = await rest.get<Run>(`/runs/${id}`);
  await until("the run to end", 400, async () => {
    run = await rest.get<Run>(`/runs/${id}`);
    return run.state === "finished";
  });
  return run;
}
