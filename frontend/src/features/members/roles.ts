import type { Role } from "~/queries/accounts";

/** From the one that may least. */
export const ROLES: Role[] = ["viewer", "operator", "admin"];
