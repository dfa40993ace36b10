import type { ReactNode } from "react";
import type { Side } from "./model/sides";

/** Where a page for runs and cases exists, makes a link to one; elsewhere there are none. */
export type RenderLink = (to: { runId: string; caseId?: number; text: string }) => ReactNode;

/** A side's name, as a link to its run where there are links; what was published has no run. */
export function linked(link: RenderLink | undefined, side: Side, text: string, caseId?: number) {
  const runId = side.run.run_id;
  return link === undefined || runId == null ? text : link({ runId, caseId, text });
}
