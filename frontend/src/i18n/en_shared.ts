import { byNamespace } from "./by_namespace";

/** What the page of a shared experiment or cluster says besides. */
export const strings = byNamespace(
  import.meta.glob<Record<string, unknown>>("./en/{floors,shared}.json", {
    eager: true,
    import: "default",
  }),
);
