import type { Schemas } from "~/api/types";

/** A resource as kubectl writes it, with its group and the one object that is meant. */
export function resourceText({
  resource,
  group,
  name,
}: Pick<Schemas["MissingRights"], "resource" | "group" | "name">): string {
  return [group === "" ? resource : `${resource}.${group}`, name].filter(Boolean).join(" ");
}
