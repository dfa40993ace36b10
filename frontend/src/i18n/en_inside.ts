import { byNamespace } from "./resources";

/** What only the application says. */
export const strings = byNamespace(
  import.meta.glob<Record<string, unknown>>(
    ["./en/*.json", "!./en/{charts,common,compare,public,words}.json"],
    { eager: true, import: "default" },
  ),
);
