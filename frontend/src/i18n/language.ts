import { TEXTS } from "virtual:texts";

/** A language that has texts: a folder of the catalog. */
export type Language = string;
export const LANGUAGES: readonly Language[] = Object.keys(TEXTS);
const DEFAULT: Language = "en";

/** How a language calls itself. */
export function ownName(language: Language): string {
  return TEXTS[language]?.name ?? language;
}

/** What dates and times are written by. */
export function localeOf(language: Language): string {
  return TEXTS[language]?.locale ?? language;
}

export function isLanguage(value: unknown): value is Language {
  return LANGUAGES.includes(value as Language);
}

const KEPT = "podmeter.language";

/** For the next time; a page inside of another site's may be allowed to keep nothing. */
export function keepLanguage(language: Language): void {
  try {
    localStorage.setItem(KEPT, language);
  } catch {
    // It is spoken now.
  }
}

function keptLanguage(): string | null {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

/** `?lang=` of the address, else what was chosen before, else the browser's. */
export function preferredLanguage(): Language {
  const asked = new URLSearchParams(location.search).get("lang");
  const chosen = asked ?? keptLanguage();
  if (isLanguage(chosen)) return chosen;
  const browsers = navigator.language.toLowerCase();
  return LANGUAGES.find((language) => browsers.startsWith(language)) ?? DEFAULT;
}
