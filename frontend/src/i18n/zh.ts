import { byNamespace } from "./resources";

export const strings = byNamespace(
  import.meta.glob<Record<string, unknown>>("./zh/*.json", { eager: true, import: "default" }),
);
