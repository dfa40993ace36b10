import { createContext, type ReactNode, useContext } from "react";
import type { Advice } from "~/api/rows";
import type { Schemas } from "~/api/types";

/** Makes what queues a run of the same with more of it; of a `NextRun` it says what that decides. */
export type RenderRepeat = (of: {
  runId: string;
  changes: Advice | Schemas["NextRun"];
}) => ReactNode;

const Context = createContext<RenderRepeat | null>(null);

/** Given where runs can be queued; what is shared only says what would decide. */
export const RepeatBy = Context.Provider;
export const useRenderRepeat = () => useContext(Context);
