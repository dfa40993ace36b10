import { useTranslation } from "react-i18next";

/** Made once: to make one takes longer than to write a hundred moments. */
const written = (locale: string) =>
  new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const FORMATS = { en: written("en-GB"), zh: written("zh-CN") };

/** Writes a moment in the user's own time zone and language. */
export function useMomentText(): (at: string) => string {
  const { i18n } = useTranslation();
  const format = FORMATS[i18n.language === "zh" ? "zh" : "en"];
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
