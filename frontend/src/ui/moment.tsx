import { useTranslation } from "react-i18next";

/** A moment in the user's own time zone and language; the exact one as its title. */
export function Moment({ at }: { at: string }) {
  const { i18n } = useTranslation();
  const date = new Date(at);
  const text = new Intl.DateTimeFormat(i18n.language === "zh" ? "zh-CN" : "en-GB", {
    dateStyle: "medium",
    timeStyle: "short",
  }).format(date);
  return (
    <time dateTime={at} title={date.toISOString()}>
      {text}
    </time>
  );
}
