import { TEXTS } from "virtual:texts";
import type { Language } from "./language";

/** Every string of a language by namespace. */
export type Strings = Record<string, Record<string, unknown>>;

/** What every page says; what only the application says; what pages of shared things say. */
export type Part = "public" | "inside" | "shared";
export const PARTS: readonly Part[] = ["public", "inside", "shared"];

export async function load(language: Language, parts: readonly Part[]): Promise<Strings> {
  const loaded = await Promise.all(parts.map((part) => TEXTS[language]?.[part]()));
  return Object.assign({}, ...loaded.map((one) => one?.strings));
}
