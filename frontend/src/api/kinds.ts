import type { Schemas } from "./types";

/** The kind of runs that nobody measured here: no experiment can be of it, and nothing plans one. */
export const IMPORT = "import" satisfies Schemas["KindName"];
