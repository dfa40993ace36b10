import { createContext, type ReactNode, useContext } from "react";
import type { Schemas } from "~/api/types";

type Changes = Pick<Schemas["NextRun"], "rounds" | "seconds" | "trials">;

/** Makes what queues a run of the same with more of it. */
export type RenderRepeat = (of: { runId: string; changes: Changes }) => ReactNode;

const Context = createContext<RenderRepeat | null>(null);

/** Given where runs can be queued; what is shared only says what would decide. */
export const RepeatBy = Context.Provider;
export const useRenderRepeat = () => useContext(Context);
