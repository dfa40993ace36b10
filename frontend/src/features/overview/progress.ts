import type { Schemas } from "~/api/types";

/** How far a run is: its cases, those done with, and their shares in percent of all. */
export function shareOf(progress: Schemas["Progress"]) {
  const { pending, running, succeeded, failed, skipped } = progress;
  const cases = pending + running + succeeded + failed + skipped;
  const share = (count: number) => (cases === 0 ? 0 : (100 * count) / cases);
  return {
    cases,
    done: succeeded + failed + skipped,
    failed,
    skipped,
    percent: { succeeded: share(succeeded), failed: share(failed), skipped: share(skipped) },
  };
}
