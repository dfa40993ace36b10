import i18next from "i18next";
import type { Figure, Unit } from "~/api/types";
import { clauses, unbroken } from "~/i18n/punctuation";
import { formatQuantity, type Scale, writeFigure, writeInterval } from "~/quantities/format";

/** "9.41 Gbit/s": a figure's value, with the digits that its interval supports. */
export function valueText(figure: Figure, unit: Unit, scale?: Scale): string {
  return writeFigure(figure, unit, { scale }).value;
}

/** "[9.31 to 9.52 Gbit/s], 95 % confidence": a figure's interval; null where there are too few trials for one. */
export function intervalText(figure: Figure, unit: Unit, scale?: Scale): string | null {
  const interval = writeInterval(writeFigure(figure, unit, { scale }));
  if (interval === null) return null;
  if (figure.confidence == null) return interval;
  const share = formatQuantity(figure.confidence, "ratio");
  return clauses(interval, i18next.t("charts:sure", { share }));
}

/** "9.41 Gbit/s [9.31 to 9.52 Gbit/s], 95 % confidence" */
export function figureText(figure: Figure, unit: Unit, scale?: Scale): string {
  const value = valueText(figure, unit, scale);
  const interval = intervalText(figure, unit, scale);
  return interval === null ? value : unbroken(`${value} ${interval}`);
}
