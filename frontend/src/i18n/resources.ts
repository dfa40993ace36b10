import type { Language } from "./language";

/**
 * Every string of a language by namespace. A namespace is a feature's word, or `common`, `words`
 * (the terms of the domain: metrics, axes, states, verdicts), `charts`, `accounts`.
 */
export type Strings = Record<string, Record<string, unknown>>;

/** A language is loaded when it is first spoken. */
const LOADERS: Record<Language, () => Promise<{ strings: Strings }>> = {
  en: () => import("./en"),
  zh: () => import("./zh"),
};

export async function load(language: Language): Promise<Strings> {
  return (await LOADERS[language]()).strings;
}

/** From files named by their namespace. */
export function byNamespace(files: Record<string, Record<string, unknown>>): Strings {
  return Object.fromEntries(
    Object.entries(files).map(([path, strings]) => [path.replace(/.*\/|\.json$/g, ""), strings]),
  );
}
