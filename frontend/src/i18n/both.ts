import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";

/** Of a sentence that comes in both languages, the user's. */
export function useBoth(): (text: Schemas["InBoth"]) => string {
  const { i18n } = useTranslation();
  return (text) => (i18n.language.startsWith("zh") ? text.zh : text.en);
}
