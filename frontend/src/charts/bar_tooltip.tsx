import { useTranslation } from "react-i18next";
import type { Unit } from "~/api/types";
import type { Scale } from "~/quantities/format";
import { intervalText, valueText } from "./figure_text";
import { StateMarker } from "./markers";
import { lookOf } from "./palette";
import { TooltipBox, TooltipLine } from "./tooltip_box";
import type { Bar, BarGroup } from "./types";

/** Every bar of a group: value, interval, n, note. */
export function BarTooltip({
  group,
  bars,
  unit,
  scale,
}: {
  group: BarGroup;
  bars: (Bar | undefined)[];
  unit: Unit;
  scale: Scale;
}) {
  const { t } = useTranslation("charts");
  return (
    <TooltipBox heading={group.label}>
      {bars.map((bar) => {
        if (bar === undefined) return null;
        const { figure, state, n, note } = bar;
        const { color } = lookOf(bar);
        return (
          <TooltipLine
            key={bar.key}
            mark={
              figure === null ? (
                <StateMarker state={state} x={7} y={6} color={color} />
              ) : (
                <rect x={1} y={1} width={12} height={10} fill={color} />
              )
            }
            label={bars.length > 1 ? bar.label : ""}
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
