import { byNamespace } from "./resources";

export const strings = byNamespace(
  import.meta.glob<Record<string, unknown>>("./en/*.json", { eager: true, import: "default" }),
);
