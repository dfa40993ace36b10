import { useTranslation } from "react-i18next";
import type { InBoth } from "~/queries/references";

/** Of a sentence that comes in both languages, the user's. */
export function useBoth(): (text: InBoth) => string {
  const { i18n } = useTranslation();
  return (text) => (i18n.language.startsWith("zh") ? text.zh : text.en);
}
