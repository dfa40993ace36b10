import { Badge } from "@mantine/core";
import { useTranslation } from "react-i18next";

/** From how many days before its end on one is reminded of a credential. */
export const REMIND_DAYS = 14;
const DAY_MS = 86_400_000;

/** Whole days until then; null before anybody has to be reminded, and once it is over. */
export function daysLeft(until: string, now: number): number | null {
  const left = Date.parse(until) - now;
  return left > 0 && left <= REMIND_DAYS * DAY_MS ? Math.floor(left / DAY_MS) : null;
}

/** Says that something has expired, or will soon. */
export function ExpiryBadge({ until }: { until: string }) {
  const { t } = useTranslation("settings");
  const now = Date.now();
  const days = daysLeft(until, now);
  const over = Date.parse(until) <= now;
  if (!over && days === null) return null;
  return (
    <Badge color={over ? "red" : "yellow"} variant="light" tt="none" miw="max-content">
      {over ? t("expired") : t("days_left", { count: days ?? 0 })}
    </Badge>
  );
}
