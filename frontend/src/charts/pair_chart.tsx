import { useElementSize } from "@mantine/hooks";
import { type KeyboardEvent, memo, type ReactNode, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { followed, parted } from "~/i18n/punctuation";
import { writeFigure, writeInterval } from "~/quantities/format";
import { ChartFrame } from "./chart_frame";
import { fileNameOf } from "./exports/download";
import { StateMarker } from "./markers";
import { bestOf, type PairCell, type PairGrid, pairGrid, pairTable, shortfall } from "./pair_cells";
import { AXIS, lookOf, placed, TEXT } from "./palette";
import { countsOf } from "./provenance";
import { stateEntries } from "./states";
import { textWidth } from "./text_width";
import type { BarGroup, Quantity } from "./types";

export interface PairChartProps {
  title: string;
  /** Names the chart in the page's address, whatever the language. */
  name?: string;
  description?: ReactNode;
  y: Quantity;
  /** A pair each, with one bar. */
  groups: BarGroup[];
}

const FONT = { fontSize: 12, fill: TEXT } as const;
const HEIGHT = 38;
/** Narrower than this nobody reads a cell: then the chart scrolls inside itself. */
const NARROWEST = 74;
/** A longer name is cut in the middle, where names of nodes seldom differ. */
const LONGEST_NAME = 110;
/** Text stands on it in either theme, so colours stay pale. */
const DEEPEST = 0.45;
const HEAD = 40;

/** Values between each two of several things, from a row to a column, as cells. */
export const PairChart = memo(function PairChart(props: PairChartProps) {
  const { title, y, groups, description } = props;
  const { t } = useTranslation("charts");
  const { ref, width } = useElementSize();
  const grid = useMemo(() => pairGrid(groups), [groups]);
  const best = bestOf(grid, y.lower);
  const bars = useMemo(() => groups.flatMap((group) => group.bars), [groups]);
  const legend = useMemo(() => stateEntries(bars, t), [bars, t]);
  const labels = Math.min(LONGEST_NAME, Math.max(0, ...grid.names.map(widthOf))) + 14;
  const cell = Math.max(NARROWEST, (width - labels) / Math.max(1, grid.names.length));
  const whole = {
    width: labels + cell * grid.names.length,
    height: HEAD + HEIGHT * grid.names.length,
  };
  const unplanned = grid.rows.some(({ cells }) =>
    cells.some(({ from, to, bar }) => bar === null && from !== to),
  );
  const colours = y.lower === undefined ? null : t("pairs.colours", { better: y.better });
  return (
    <ChartFrame
      title={title}
      name={props.name}
      description={
        <>
          {description}
          {description && " "}
          {followed(t("pairs.text"))}
          {colours} {unplanned && t("pairs.not_planned")}
        </>
      }
      table={() => pairTable(grid, y, t)}
      fileName={fileNameOf(title)}
      legend={legend}
      counts={countsOf(bars)}
    >
      <div ref={ref} style={{ overflowX: "auto" }}>
        <Cells
          grid={grid}
          title={title}
          y={y}
          best={best}
          cell={cell}
          labels={labels}
          whole={whole}
        />
      </div>
    </ChartFrame>
  );
});

interface CellsProps {
  grid: PairGrid;
  title: string;
  y: Quantity;
  best: number;
  cell: number;
  labels: number;
  whole: { width: number; height: number };
}

/** One stop of the tabulator for all cells, which the arrow keys then go through. */
function Cells({ grid, title, y, best, cell, labels, whole }: CellsProps) {
  const { t } = useTranslation("charts");
  const drawing = useRef<SVGSVGElement>(null);
  const [at, setAt] = useState<readonly [number, number]>(() => firstOf(grid));
  const [row, column] = isCell(grid, at) ? at : firstOf(grid);
  function move(event: KeyboardEvent) {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    let next: readonly [number, number] = [row + step[0], column + step[1]];
    // What is no cell is jumped over.
    while (isInside(grid, next) && !isCell(grid, next)) {
      next = [next[0] + step[0], next[1] + step[1]];
    }
    if (!isCell(grid, next)) return;
    setAt(next);
    drawing.current?.querySelector<SVGGElement>(`[data-cell="${next.join()}"]`)?.focus();
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: HTML has no element for a group in a drawing
    <svg
      {...whole}
      ref={drawing}
      role="group"
      aria-label={t("pairs.keys", { title })}
      style={{ display: "block" }}
      onKeyDown={move}
    >
      <text x={labels + 2} y={12} {...FONT} fill={AXIS}>
        {t("pairs.to")}
      </text>
      <text x={labels - 10} y={HEAD - 8} textAnchor="end" {...FONT} fill={AXIS}>
        {t("pairs.from")}
      </text>
      {grid.names.map((name, place) => (
        <text
          key={name}
          x={labels + cell * (place + 0.5)}
          y={HEAD - 8}
          textAnchor="middle"
          {...FONT}
        >
          <title>{name}</title>
          {cut(name, cell - 6)}
        </text>
      ))}
      {grid.rows.map(({ from, cells }, line) => (
        <g key={from} transform={`translate(0 ${HEAD + HEIGHT * line})`}>
          <text x={labels - 10} y={HEIGHT / 2 + 4} textAnchor="end" {...FONT}>
            <title>{from}</title>
            {cut(from, labels - 14)}
          </text>
          {cells.map((one, place) => (
            <g key={one.to} transform={`translate(${labels + cell * place} 0)`}>
              {one.bar === null ? (
                <Empty width={cell} same={one.from === one.to} />
              ) : (
                <Cell
                  one={one}
                  place={`${line},${place}`}
                  tabbed={line === row && place === column}
                  onFocus={() => setAt([line, place])}
                  width={cell}
                  best={best}
                  y={y}
                />
              )}
            </g>
          ))}
        </g>
      ))}
    </svg>
  );
}

const STEPS: Record<string, readonly [number, number] | undefined> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

type CellPosition = readonly [number, number];
const isInside = ({ names }: PairGrid, [row, column]: CellPosition) =>
  row >= 0 && column >= 0 && row < names.length && column < names.length;
const isCell = (grid: PairGrid, [row, column]: CellPosition) =>
  (grid.rows[row]?.cells[column]?.bar ?? null) !== null;

function firstOf({ rows }: PairGrid): CellPosition {
  for (const [row, { cells }] of rows.entries()) {
    const column = cells.findIndex(({ bar }) => bar !== null);
    if (column >= 0) return [row, column];
  }
  return [0, 0];
}

/** A pair that nobody asked for has a dotted frame; a node with itself has nothing. */
function Empty({ width, same }: { width: number; same: boolean }) {
  if (same) return null;
  return (
    <rect
      x={3}
      y={3}
      width={width - 6}
      height={HEIGHT - 6}
      fill="none"
      stroke={AXIS}
      strokeOpacity={0.5}
      strokeDasharray="1 4"
    />
  );
}

interface CellProps {
  one: PairCell;
  place: string;
  tabbed: boolean;
  onFocus: () => void;
  width: number;
  best: number;
  y: Quantity;
}

function Cell({ one: { from, to, bar }, place, tabbed, onFocus, width, best, y }: CellProps) {
  const { t } = useTranslation("charts");
  if (bar === null) return null;
  const { figure, state, n, note } = bar;
  const written = figure === null ? null : writeFigure(figure, y.unit);
  const said = [
    t("pairs.pair", { from, to }),
    written?.value ?? t(`state.${state}`),
    written && (writeInterval(written) ?? t("no_interval")),
    n > 0 ? t("n", { n }) : null,
    note,
  ].filter((part) => part);
  const depth = figure === null ? 0 : shortfall(figure.value, best, y);
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: cells are gone through by keyboard, and read
    <g
      role="img"
      aria-label={parted(said.filter((one) => one != null))}
      tabIndex={tabbed ? 0 : -1}
      data-cell={place}
      onFocus={onFocus}
    >
      <title>{said.join("\n")}</title>
      <rect
        x={1}
        y={1}
        width={Math.max(0, width - 2)}
        height={HEIGHT - 2}
        fill={lookOf(placed(1)).color}
        fillOpacity={DEEPEST * depth}
        stroke={AXIS}
      />
      {written === null ? (
        <StateMarker state={state} x={width / 2} y={HEIGHT / 2} color={TEXT} />
      ) : (
        <text {...FONT} x={width / 2} y={HEIGHT / 2 + 4} textAnchor="middle">
          {written.value}
        </text>
      )}
    </g>
  );
}

const widthOf = (name: string) => textWidth(name, FONT.fontSize);

/** A name that is as wide at most, without its middle where it is longer. */
function cut(name: string, width: number): string {
  const most = Math.floor((name.length * width) / Math.max(1, widthOf(name)));
  if (name.length <= most) return name;
  const kept = Math.max(2, most - 1);
  return `${name.slice(0, Math.ceil(kept / 2))}…${name.slice(-Math.floor(kept / 2))}`;
}
