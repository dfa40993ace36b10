import type { ReactNode } from "react";

/** Where a page for runs and cases exists, makes a link to one; elsewhere there are none. */
export type RenderLink = (to: { runId: string; caseId?: number; text: string }) => ReactNode;
