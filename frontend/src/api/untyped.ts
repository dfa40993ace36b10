/** Reading JSON whose shape the API does not promise: what is not as expected is null. */
export type Json = Record<string, unknown>;

export function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

export function number(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function record(value: unknown): Json {
  return isRecord(value) ? value : {};
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Any JSON value on one line: text as it is, the rest as JSON. */
export function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A text or a number as text; null for anything else. */
export function plain(value: unknown): string | null {
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}
