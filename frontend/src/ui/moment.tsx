import { useTranslation } from "react-i18next";
import { LANGUAGES, localeOf } from "~/i18n/language";

/** Made once: to make one takes longer than to write a hundred moments. */
const written = (locale: string) =>
  new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const FORMATS = Object.fromEntries(LANGUAGES.map((one) => [one, written(localeOf(one))]));

/** Writes a moment in the user's own time zone and language. */
export function useMomentText(): (at: string) => string {
  const { i18n } = useTranslation();
  const format = FORMATS[i18n.language];
  return (at) => format?.format(new Date(at)) ?? at;
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
