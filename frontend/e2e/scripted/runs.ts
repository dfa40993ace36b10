import { expect, type Rest } from "../fixtures";
import { until } from "../until";

/** A run of this experiment on the scripted cluster, from its beginning to its good end. */
export async function measured(rest: Rest, experiment: object): Promise<string> {
  const { items } = await rest.get<{ items: { id: string }[] }>("/clusters");
  const { id } = await rest.post<{ id: string }>("/experiments", experiment);
  const run = await rest.post<{ id: string }>(`/experiments/${id}/runs`, {
    cluster_id: items[0]?.id,
  });
  await succeeded(rest, run.id);
  return run.id;
}

/** Waits for the end of a run, which must succeed. */
export async function succeeded(rest: Rest, run: string): Promise<void> {
  await until("the run to end", 400, async () => {
    const { state, outcome, reason } = await rest.get(`/runs/${run}`);
    if (state === "finished") expect(outcome, JSON.stringify(reason)).toBe("succeeded");
    return state === "finished";
  });
}
