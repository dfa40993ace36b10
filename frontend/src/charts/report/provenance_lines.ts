import type { RunReport } from "~/api/types";
import { listed } from "~/i18n/punctuation";
import { useMomentText } from "~/ui/moment";

/** What a picture of a run's charts says of where its figures are from. */
export function useProvenanceLines({ run }: RunReport): string[] {
  const moment = useMomentText();
  return [
    run.name,
    listed(run.clusters),
    moment(run.finished_at ?? run.started_at ?? run.created_at),
  ];
}
