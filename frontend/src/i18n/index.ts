import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { type Language, preferredLanguage } from "./language";
import { resources } from "./resources";

void i18next.use(initReactI18next).init({
  resources,
  lng: preferredLanguage(),
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
export function setLanguage(language: Language): void {
  localStorage.setItem("podmeter.language", language);
  void i18next.changeLanguage(language);
}

export { i18next };
