import { useElementSize } from "@mantine/hooks";
import { memo, type ReactNode, useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Unit } from "~/api/types";
import { parted } from "~/i18n/punctuation";
import { writeInterval } from "~/quantities/format";
import { ChartFrame } from "./chart_frame";
import { fileNameOf } from "./exports/download";
import { columnsOf, heatTable, mostOf, signed } from "./heat_rows";
import { StateMarker } from "./markers";
import { AXIS, lookOf, placed, TEXT } from "./palette";
import { countsOf } from "./provenance";
import { stateEntries } from "./states";
import { textWidth } from "./text_width";
import type { Bar, BarGroup, Quantity } from "./types";

export interface HeatChartProps {
  title: string;
  /** Names the chart in the page's address, whatever the language. */
  name?: string;
  description?: ReactNode;
  /** What is drawn, a share; its `reach` is that of all charts that share the colours. */
  y: Quantity;
  /** The unit of the bars' `difference`. */
  differences: Unit;
  /** What the rows and the columns are, in words. */
  axes: { rows: string; columns: string };
  /** Rows; their bars are the cells, one of each column. */
  groups: BarGroup[];
}

const FONT = { fontSize: 12, fill: TEXT } as const;
const HEIGHT = 44;
const HEAD = 40;
/** Narrower than this nobody reads a cell: then the chart scrolls inside itself. */
const NARROWEST = 58;
/** Text stands on it in either theme, so colours stay pale. */
const DEEPEST = 0.45;

/** Shares by two ordered axes as cells with their colour, value and difference. */
export const HeatChart = memo(function HeatChart(props: HeatChartProps) {
  const { title, y, groups, differences, axes } = props;
  const { t } = useTranslation("charts");
  const { ref, width } = useElementSize();
  const columns = useMemo(() => columnsOf(groups), [groups]);
  const most = Math.max(mostOf(groups), ...(y.reach ?? []).map(Math.abs));
  const bars = useMemo(() => groups.flatMap((group) => group.bars), [groups]);
  const legend = useMemo(() => stateEntries(bars, t), [bars, t]);
  const labels = Math.max(...groups.map(({ label }) => textWidth(label, FONT.fontSize))) + 10;
  const cell = Math.max(NARROWEST, (width - labels) / Math.max(1, columns.length));
  const whole = { width: labels + cell * columns.length, height: HEAD + HEIGHT * groups.length };
  return (
    <ChartFrame
      title={title}
      name={props.name}
      description={props.description}
      table={() => heatTable(groups, y, differences, axes, t)}
      fileName={fileNameOf(title)}
      legend={legend}
      counts={countsOf(bars)}
    >
      <div ref={ref} style={{ overflowX: "auto" }}>
        {/* biome-ignore lint/a11y/useSemanticElements: HTML has no element for a group in a drawing */}
        <svg {...whole} role="group" aria-label={title} style={{ display: "block" }}>
          <text x={labels + 2} y={12} {...FONT} fill={AXIS}>
            {axes.columns}
          </text>
          {columns.map(({ key, label }, column) => (
            <text
              key={key}
              x={labels + cell * (column + 0.5)}
              y={HEAD - 8}
              textAnchor="middle"
              {...FONT}
            >
              {label}
            </text>
          ))}
          {groups.map((group, row) => (
            <g key={group.key} transform={`translate(0 ${HEAD + HEIGHT * row})`}>
              <text x={labels - 10} y={HEIGHT / 2 + 4} textAnchor="end" {...FONT}>
                {group.label}
              </text>
              {columns.map(({ key }, column) => {
                const bar = group.bars.find((one) => one.key === key);
                return bar === undefined ? null : (
                  <g key={key} transform={`translate(${labels + cell * column} 0)`}>
                    <Cell
                      bar={bar}
                      row={group.label}
                      width={cell}
                      most={most}
                      unit={y.unit}
                      differences={differences}
                    />
                  </g>
                );
              })}
            </g>
          ))}
        </svg>
      </div>
    </ChartFrame>
  );
});

interface CellProps {
  bar: Bar;
  row: string;
  width: number;
  most: number;
  unit: Unit;
  differences: Unit;
}

/** Clear ones have a whole frame, others a dashed one; reached by keyboard, and told whole. */
function Cell({ bar, row, width, most, unit, differences }: CellProps) {
  const { t } = useTranslation("charts");
  const { figure, difference, state, clear, n, note, label } = bar;
  const share = figure === null ? null : signed(figure, unit);
  const other = difference ? signed(difference, differences) : null;
  const between = (one: ReturnType<typeof signed> | null) => one && writeInterval(one);
  const said = [
    `${row}, ${label}`,
    share?.value ?? t(`state.${state}`),
    between(share),
    other?.value,
    between(other),
    figure && t(clear ? "clear" : "not_clear"),
    n > 0 ? t("n", { n }) : null,
    note,
  ].filter((one) => one);
  const depth = figure === null || most === 0 ? 0 : Math.abs(figure.value) / most;
  const middle = { x: width / 2, textAnchor: "middle" } as const;
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: cells are gone through by keyboard, and read
    <g role="img" aria-label={parted(said.filter((one) => one != null))} tabIndex={0}>
      <title>{said.join("\n")}</title>
      <rect
        x={1}
        y={1}
        width={Math.max(0, width - 2)}
        height={HEIGHT - 2}
        fill={lookOf(placed(figure !== null && figure.value < 0 ? 0 : 1)).color}
        fillOpacity={DEEPEST * Math.min(1, depth)}
        stroke={clear ? TEXT : AXIS}
        strokeDasharray={clear ? undefined : "2 3"}
      />
      {share === null ? (
        <StateMarker state={state} x={width / 2} y={HEIGHT / 2} color={TEXT} />
      ) : (
        <>
          <text {...FONT} {...middle} y={other === null ? 26 : 19} fontWeight={clear ? 600 : 400}>
            {share.value}
          </text>
          {other !== null && (
            <text {...FONT} {...middle} y={34} fontSize={11}>
              {other.value}
            </text>
          )}
        </>
      )}
    </g>
  );
}
