import type { AxisValue } from "~/api/types";

/**
 * From typed text to the value in the document and back. A half-typed or wrong
 * number stays the text it is: nothing typed is lost, and the API says what is wrong with it.
 */
export function numberOrText(typed: string): number | string | undefined {
  if (typed.trim() === "") return undefined;
  const number = Number(typed);
  return String(number) === typed.trim() && Number.isFinite(number) ? number : typed;
}

/** On leaving the field, where "0.50" or "1e3" cannot be half-typed any more. */
export function settled(value: unknown): unknown {
  if (typeof value !== "string" || value.trim() === "") return value;
  const number = Number(value);
  return Number.isFinite(number) ? number : value;
}

/** A scalar as the field shows it; null where it is none and only the YAML can show it. */
export function shown(value: unknown): string | null {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? null : String(value);
}

/** The values of an axis as the document has them; null where it is no list of scalars. */
export function axisValues(value: unknown): AxisValue[] | null {
  if (value === undefined || value === null) return [];
  const list = Array.isArray(value) ? value : [value];
  const readable = list.every((item) => typeof item === "string" || typeof item === "number");
  return readable ? (list as AxisValue[]) : null;
}

/** "10, 500, many" as an axis takes it: whole numbers, and what is none as typed; each once. */
export function axisNumbers(typed: string): AxisValue[] {
  const values = typed
    .split(/[\s,;，、]+/)
    .filter((text) => text !== "")
    .map((text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : text));
  return [...new Set(values)];
}
