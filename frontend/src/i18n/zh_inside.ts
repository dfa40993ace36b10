import { byNamespace } from "./by_namespace";

/** What only the application says. */
export const strings = byNamespace(
  import.meta.glob<Record<string, unknown>>(
    ["./zh/*.json", "!./zh/{charts,common,compare,public,shared,words}.json"],
    { eager: true, import: "default" },
  ),
);
