import { TEXTS } from "virtual:texts";
import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { keepLanguage, type Language, preferredLanguage } from "./language";
import { load, type Part } from "./resources";

const parts: Part[] = ["public"];
const first = preferredLanguage();

await i18next.use(initReactI18next).init({
  resources: { [first]: await load(first, parts) },
  lng: first,
  fallbackLng: false,
  defaultNS: "common",
  interpolation: { escapeValue: false },
  returnNull: false,
});

function mark(language: string): void {
  document.documentElement.lang = TEXTS[language]?.tag ?? language;
}

mark(i18next.language);
i18next.on("languageChanged", mark);

/** Switch and remember. */
export async function setLanguage(language: Language): Promise<void> {
  keepLanguage(language);
  await add(language);
  await i18next.changeLanguage(language);
}

/** Lets the application speak too, which has more to say than a snapshot's page. */
export async function speakInside(): Promise<void> {
  parts.push("inside");
  await add(first);
}

/** Lets the page of a shared experiment or cluster speak. */
export async function speakOfShared(): Promise<void> {
  parts.push("shared");
  await add(first);
}

async function add(language: Language): Promise<void> {
  for (const [namespace, strings] of Object.entries(await load(language, parts))) {
    i18next.addResourceBundle(language, namespace, strings);
  }
}

export { i18next };
