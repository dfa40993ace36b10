import type { Schemas } from "~/api/types";
import { sideLabel } from "~/ui/comparison_text";

/** What is shared by its name, as a title to begin with. */
export function nameOf(content: Schemas["SnapshotContent"], ofArticles: string): string {
  const { run, comparison, experiment, cluster, reproduction } = content;
  if (reproduction) return ofArticles;
  if (run) return run.run.name;
  if (!comparison) return experiment?.name ?? cluster?.cluster ?? "";
  const { baseline, contenders } = comparison;
  return [baseline, ...contenders.map((one) => one.side)].map(sideLabel).join(" / ");
}
