import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { localeOf } from "~/i18n/language";
import type { LogLine } from "~/queries/runs";
import classes from "./log_lines.module.css";

/** Log lines in a box of their own, whose end is kept in sight while it is followed. */
export function LogLines({
  lines,
  follow,
  attempts,
}: {
  lines: readonly LogLine[];
  follow: boolean;
  attempts: boolean;
}) {
  const { t, i18n } = useTranslation("runs");
  const box = useRef<HTMLElement>(null);
  const last = lines.at(-1)?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new last line is what moves the end
  useEffect(() => {
    if (follow && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [follow, last]);
  const time = new Intl.DateTimeFormat(localeOf(i18n.language), { timeStyle: "medium" });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section ref={box} className={classes.box} tabIndex={0} aria-label={t("tab_log")}>
      <ol className={classes.lines}>
        {lines.map((line) => (
          <li key={line.id} className={classes.line} data-level={line.level}>
            <time dateTime={line.created_at} title={line.created_at} className={classes.time}>
              {time.format(new Date(line.created_at))}
            </time>
            {attempts && <span className={classes.attempt}>#{line.attempt}</span>}
            <span className={classes.level}>{t(`level_${line.level}`)}</span>
            <span className={classes.message}>{line.message.text}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
