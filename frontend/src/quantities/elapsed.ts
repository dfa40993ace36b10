import type { Schemas } from "~/api/types";

/** Seconds that the run's latest attempt took, or has taken by `now`; null before it began. */
export function elapsed(
  run: Pick<Schemas["RunSummary"], "state" | "started_at" | "finished_at">,
  now: number,
): number | null {
  if (run.started_at === null || run.state === "queued") return null;
  const begun = Date.parse(run.started_at);
  const end = run.finished_at === null ? now : Date.parse(run.finished_at);
  return Math.max(0, (end - begun) / 1_000);
}
