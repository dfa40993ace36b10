import { useTranslation } from "react-i18next";

/** Writes a moment in the user's own time zone and language. */
export function useMomentText(): (at: string) => string {
  const { i18n } = useTranslation();
  const format = new Intl.DateTimeFormat(i18n.language === "zh" ? "zh-CN" : "en-GB", {
    dateStyle: "medium",
    timeStyle: "short",
  });
  return (at) => format.format(new Date(at));
}

/** A moment in the user's own time zone and language; the exact one as its title. */
export function Moment({ at }: { at: string }) {
  const text = useMomentText();
  return (
    <time dateTime={at} title={new Date(at).toISOString()}>
      {text(at)}
    </time>
  );
}
