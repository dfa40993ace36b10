export const LANGUAGES = ["en", "zh"] as const;
export type Language = (typeof LANGUAGES)[number];

/** How each language calls itself. */
export const OWN_NAMES: Record<Language, string> = { en: "English", zh: "简体中文" };

export function isLanguage(value: unknown): value is Language {
  return LANGUAGES.includes(value as Language);
}

/** `?lang=` of the address, else what was chosen before, else the browser's. */
export function preferredLanguage(): Language {
  const asked = new URLSearchParams(location.search).get("lang");
  const chosen = asked ?? localStorage.getItem("podmeter.language");
  if (isLanguage(chosen)) return chosen;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}
