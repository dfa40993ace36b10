import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { type Language, preferredLanguage } from "./language";
import { load } from "./resources";

const first = preferredLanguage();

await i18next.use(initReactI18next).init({
  resources: { [first]: await load(first) },
  lng: first,
  fallbackLng: false,
  defaultNS: "common",
  interpolation: { escapeValue: false },
  returnNull: false,
});

function mark(language: string): void {
  document.documentElement.lang = language === "zh" ? "zh-CN" : language;
}

mark(i18next.language);
i18next.on("languageChanged", mark);

/** Switch and remember. */
export async function setLanguage(language: Language): Promise<void> {
  localStorage.setItem("podmeter.language", language);
  for (const [namespace, strings] of Object.entries(await load(language))) {
    i18next.addResourceBundle(language, namespace, strings);
  }
  await i18next.changeLanguage(language);
}

export { i18next };
