import { DefaultZIndexes, usePlotArea, useXAxisScale, useYAxisScale, ZIndexLayer } from "recharts";
import { GRID } from "./palette";

interface GridLinesProps {
  /** Where lines stand upright and lie, in the numbers that are drawn. */
  x?: readonly number[];
  y?: readonly number[];
}

/** Lines at the ticks, behind everything: all that a chart here needs of Recharts' own grid. */
export function GridLines({ x = [], y = [] }: GridLinesProps) {
  const toX = useXAxisScale();
  const toY = useYAxisScale();
  const area = usePlotArea();
  if (toX === undefined || toY === undefined || area === undefined) return null;
  const upright = x.map((tick) => `M${toX(tick)} ${area.y}v${area.height}`);
  const level = y.map((tick) => `M${area.x} ${toY(tick)}h${area.width}`);
  return (
    <ZIndexLayer zIndex={DefaultZIndexes.grid}>
      <path data-grid="" d={[...upright, ...level].join("")} stroke={GRID} />
    </ZIndexLayer>
  );
}
