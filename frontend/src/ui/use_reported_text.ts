import { useTranslation } from "react-i18next";

/** What a cluster told, as it is; that it could not be told, in the user's language. */
export function useReportedText(): (reported: string) => string {
  const { t } = useTranslation("frame");
  return (reported) => (reported === "unknown" ? t("unknown") : reported);
}
