import type { TFunction } from "i18next";
import type { Unit } from "~/api/types";
import { labelled } from "~/i18n/punctuation";
import { formatNumber, type Scale } from "~/quantities/format";
import type { CurveRows } from "./curve_rows";
import { figureReading } from "./figure_reading";
import type { ReadAt } from "./readout";

/** Every curve's value at one x; null where no curve has a point. */
export function readCurves(
  at: CurveRows["at"],
  x: number | undefined,
  label: string,
  unit: Unit,
  scale: Scale,
  t: TFunction<"charts">,
): ReadAt | null {
  const points = x === undefined ? undefined : at.get(x);
  if (x === undefined || points === undefined) return null;
  return {
    heading: labelled(label, formatNumber(x, true)),
    readings: new Map(
      points.map(({ curve, point }) => [curve.key, figureReading(point, unit, scale, t)]),
    ),
  };
}
