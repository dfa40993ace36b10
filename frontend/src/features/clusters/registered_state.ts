import type { Schemas } from "~/api/types";

/** What registering kept and left out: names of fields and reasons, nothing of their content. */
export type RegistrationOutcome = Pick<Schemas["RegisteredCluster"], "context" | "dropped">;

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** With the wizard's result, so that a reload shows it again. */
    kept?: RegistrationOutcome;
  }
}
