/** The id of a reference in an address. */
export function readReferenceId(value: unknown): string | undefined {
  return typeof value === "string" && /^[a-z0-9][a-z0-9-]{0,63}$/.test(value) ? value : undefined;
}
