import type { Language } from "./language";

/**
 * Every string of a language by namespace. A namespace is a feature's word, or `common`, `words`
 * (the terms of the domain: metrics, axes, states, verdicts), `charts`, `accounts`.
 */
export type Strings = Record<string, Record<string, unknown>>;

/** A part of the strings; a language of it is loaded when it is first spoken. */
type Part = Record<Language, () => Promise<{ strings: Strings }>>;

/** What every page says, a snapshot's too; what only the application says. */
export const PUBLIC: Part = { en: () => import("./en"), zh: () => import("./zh") };
export const INSIDE: Part = { en: () => import("./en_inside"), zh: () => import("./zh_inside") };
/** What a snapshot's page says besides where it is of an experiment or of a cluster. */
export const SHARED: Part = { en: () => import("./en_shared"), zh: () => import("./zh_shared") };
/** What the API says: in English it comes with what it says. */
export const MESSAGES: Part = {
  en: async () => ({ strings: {} }),
  zh: () => import("./messages/zh"),
};

export async function load(language: Language, parts: readonly Part[]): Promise<Strings> {
  const loaded = await Promise.all(parts.map((part) => part[language]()));
  return Object.assign({}, ...loaded.map(({ strings }) => strings));
}
