import { useTranslation } from "react-i18next";

const STEPS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** How long ago a moment was, in the largest unit that it fills; the exact one as its title. */
export function Age({ at, now = Date.now() }: { at: string; now?: number }) {
  const { i18n } = useTranslation();
  const seconds = (now - Date.parse(at)) / 1_000;
  const [unit, length] = STEPS.find(([, one]) => seconds >= one) ?? (["second", 1] as const);
  const format = new Intl.RelativeTimeFormat(i18n.language, { numeric: "always" });
  return (
    <time dateTime={at} title={new Date(at).toISOString()}>
      {format.format(-Math.max(0, Math.floor(seconds / length)), unit)}
    </time>
  );
}
