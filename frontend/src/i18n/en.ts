import { byNamespace } from "./by_namespace";

/** What a snapshot's page says too. */
export const strings = byNamespace(
  import.meta.glob<Record<string, unknown>>("./en/{charts,common,compare,public,words}.json", {
    eager: true,
    import: "default",
  }),
);
