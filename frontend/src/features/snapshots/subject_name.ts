import type { Schemas } from "~/api/types";

/** What is shared by its name, as a title to begin with. */
export function nameOf({ run, comparison }: Schemas["SnapshotContent"]): string {
  if (run) return run.run.name;
  if (!comparison) return "";
  const { baseline, contenders } = comparison;
  return [baseline, ...contenders.map((one) => one.side)].map((side) => side.label).join(" / ");
}
