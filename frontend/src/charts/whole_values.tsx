import { useTranslation } from "react-i18next";
import { usePlotArea, useXAxisScale, useYAxisScale } from "recharts";
import type { Unit } from "~/api/types";
import type { Scale } from "~/quantities/format";
import { wholeOf } from "./bar_rows";
import { valueText } from "./figure_text";
import { StateMarker } from "./markers";
import { TEXT } from "./palette";
import type { BarGroup } from "./types";

/** What the parts of each group are together, in a column at the right; where none is, why. */
export function WholeValues({
  groups,
  unit,
  scale,
}: {
  groups: readonly BarGroup[];
  unit: Unit;
  scale: Scale;
}) {
  const { t } = useTranslation("charts");
  const toX = useXAxisScale();
  const toY = useYAxisScale();
  const area = usePlotArea();
  if (toX === undefined || toY === undefined || area === undefined) return null;
  return groups.map((group) => {
    const y = toY(group.key, { position: "middle" });
    if (y === undefined) return null;
    const value = wholeOf(group);
    if (value !== null) {
      return (
        <text
          key={group.key}
          x={area.x + area.width - 2}
          y={y + 4}
          fontSize={11}
          fill={TEXT}
          textAnchor="end"
        >
          {valueText({ value }, unit, scale)}
        </text>
      );
    }
    const state = group.bars.find((bar) => bar.state !== "measured")?.state ?? "missing";
    const zero = toX(0) ?? 0;
    return (
      <g key={group.key}>
        <StateMarker state={state} x={zero + 10} y={y} color={TEXT} />
        <text x={zero + 20} y={y + 4} fontSize={11} fontStyle="italic" fill={TEXT}>
          {t(`state.${state}`)}
        </text>
      </g>
    );
  });
}
