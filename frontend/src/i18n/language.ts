export const LANGUAGES = ["en", "zh"] as const;
export type Language = (typeof LANGUAGES)[number];

/** How each language calls itself. */
export const OWN_NAMES: Record<Language, string> = { en: "English", zh: "简体中文" };

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
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}
