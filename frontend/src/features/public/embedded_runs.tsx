import { Modes } from "./shared_cluster";
import { SharedRuns } from "./shared_runs";
import type { SubjectProps } from "./subject";

/** What is embedded of an experiment, or of a cluster: what its runs found. */
export function EmbeddedRuns({ content: { experiment, cluster } }: SubjectProps) {
  if (experiment) return <SharedRuns runs={experiment.runs} complete={experiment.complete} />;
  return (
    cluster && (
      <>
        {cluster.modes.length > 0 && <Modes modes={cluster.modes} />}
        <SharedRuns runs={cluster.runs} />
      </>
    )
  );
}
