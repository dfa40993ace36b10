import { useTranslation } from "react-i18next";
import type { Unit } from "~/api/types";
import type { Scale } from "~/quantities/format";
import type { CurveRows } from "./curve_rows";
import { intervalText, valueText } from "./figure_text";
import { CurveMarker, StateMarker } from "./markers";
import { lookOf } from "./palette";
import { TooltipBox, TooltipLine } from "./tooltip_box";

type Points = NonNullable<ReturnType<CurveRows["at"]["get"]>>;

/** Every curve at one x: value, interval, n, note. */
export function CurveTooltip({
  heading,
  points,
  unit,
  scale,
}: {
  heading: string;
  points: Points;
  unit: Unit;
  scale: Scale;
}) {
  const { t } = useTranslation("charts");
  return (
    <TooltipBox heading={heading}>
      {points.map(({ curve, point }) => {
        const { color, marker } = lookOf(curve);
        const { figure, state, n, note } = point;
        const place = { x: 7, y: 6, color };
        return (
          <TooltipLine
            key={curve.key}
            mark={
              figure === null ? (
                <StateMarker state={state} {...place} />
              ) : (
                <CurveMarker shape={marker} {...place} />
              )
            }
            label={curve.label}
            value={figure === null ? t(`state.${state}`) : valueText(figure, unit, scale)}
            details={[
              figure && (intervalText(figure, unit, scale) ?? t("no_interval")),
              n > 0 ? t("n", { n }) : null,
              note,
            ]}
          />
        );
      })}
    </TooltipBox>
  );
}
