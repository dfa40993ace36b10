import { useTranslation } from "react-i18next";

/** What a cluster told, as it is; that it could not be told, in the user's language. */
export function useTold(): (told: string) => string {
  const { t } = useTranslation("frame");
  return (told) => (told === "unknown" ? t("unknown") : told);
}
