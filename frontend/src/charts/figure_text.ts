import type { Figure, Unit } from "~/api/types";
import { formatNumber, formatQuantity, type Scale, scaleOf } from "~/quantities/format";

/** "9.2 – 9.6 Gbit/s, 95 %": a figure's interval; null where there are too few trials for one. */
export function intervalText(figure: Figure, unit: Unit, scale?: Scale): string | null {
  if (figure.low == null || figure.high == null) return null;
  const used = scale ?? scaleOf(Math.max(Math.abs(figure.low), Math.abs(figure.high)), unit);
  const low = formatNumber(figure.low / used.factor, unit === "count");
  const high = formatQuantity(figure.high, unit, used);
  const sure = figure.confidence == null ? "" : `, ${formatQuantity(figure.confidence, "ratio")}`;
  return `${low} – ${high}${sure}`;
}

/** "9.41 Gbit/s [9.2 – 9.6 Gbit/s, 95 %]" */
export function figureText(figure: Figure, unit: Unit, scale?: Scale): string {
  const value = formatQuantity(figure.value, unit, scale);
  const interval = intervalText(figure, unit, scale);
  return interval === null ? value : `${value} [${interval}]`;
}
