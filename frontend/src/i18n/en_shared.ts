import { byNamespace } from "./by_namespace";

/** What the page of a shared experiment, cluster or reproduction says besides. */
export const strings = byNamespace(
  import.meta.glob<Record<string, unknown>>("./en/{floors,reproduction,shared}.json", {
    eager: true,
    import: "default",
  }),
);
