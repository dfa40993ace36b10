import { Text, UnstyledButton } from "@mantine/core";
import { memo, type ReactNode } from "react";
import type { Focus } from "./focus";
import classes from "./legend.module.css";
import { CurveMarker, Dots, StateMarker } from "./markers";
import { type Hued, lookOf, TEXT } from "./palette";
import { fillOf } from "./patterns";
import type { PointState } from "./types";

/** How a series looks, or what a mark without a value means. */
export type LegendEntry =
  /** `key` is the series', where one can be drawn alone. */
  | ({ kind: "curve"; label: string; key?: string } & Hued)
  /** `fills` is the prefix of the chart's `BarPatterns`. */
  | ({ kind: "bar"; label: string; key?: string; fills: string } & Hued)
  | { kind: "state"; label: string; state: PointState }
  | { kind: "trials"; label: string };

/** What a series has at the place that is pointed at. */
export interface Reading {
  value: string;
  /** Interval, n, note. */
  details: string;
}

const WIDTH = 30;
const HEIGHT = 14;

interface LegendProps {
  entries: readonly LegendEntry[];
  /** Where series can be drawn alone. */
  focus?: Focus;
  /** By the series' key; none if the chart has no readout. */
  readings?: ReadonlyMap<string, Reading>;
}

/**
 * What the marks of a chart mean. With `focus` an entry is a button: pointing at it brings its
 * series forward, pressing it draws the series alone. With `readings` each has its value below.
 */
export function Legend({ entries, focus, readings }: LegendProps) {
  if (entries.length === 0) return null;
  return (
    <ul className={classes.list} data-readings={readings === undefined ? undefined : ""}>
      {entries.map((entry) => {
        const key = "key" in entry ? entry.key : undefined;
        const reading = key === undefined ? undefined : readings?.get(key);
        return (
          <li key={entry.label} data-legend-entry="">
            {key === undefined || focus === undefined ? (
              <span className={classes.entry}>
                <Sign entry={entry} />
              </span>
            ) : (
              <SeriesButton series={key} focus={focus}>
                <Sign entry={entry} />
              </SeriesButton>
            )}
            {readings !== undefined && key !== undefined && (
              <Text component="div" size="xs" className={classes.reading} data-figures="">
                {reading && (
                  <>
                    <strong>{reading.value}</strong> {reading.details}
                  </>
                )}
              </Text>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Stays as it is while readings beside it follow the pointer. */
const Sign = memo(function Sign({ entry }: { entry: LegendEntry }) {
  return (
    <>
      <svg width={WIDTH} height={HEIGHT} style={{ flexShrink: 0 }} aria-hidden="true">
        <Mark entry={entry} />
      </svg>
      <Text component="span" size="sm" data-legend-label="">
        {entry.label}
      </Text>
    </>
  );
});

function SeriesButton({
  series,
  focus,
  children,
}: {
  series: string;
  focus: Focus;
  children: ReactNode;
}) {
  const { only, near, toggle } = focus;
  const hidden = only.length > 0 && !only.includes(series);
  return (
    <UnstyledButton
      className={classes.entry}
      aria-pressed={only.includes(series)}
      data-hidden={hidden || undefined}
      onPointerEnter={() => near.write(series)}
      onPointerLeave={() => near.write(null)}
      onFocus={() => near.write(series)}
      onBlur={() => near.write(null)}
      onClick={(event) => toggle(series, event.ctrlKey || event.metaKey || event.shiftKey)}
    >
      {children}
    </UnstyledButton>
  );
}

function Mark({ entry }: { entry: LegendEntry }) {
  const middle = { x: WIDTH / 2, y: HEIGHT / 2 };
  if (entry.kind === "trials") {
    return <Dots at={[-7, 0, 7].map((right) => [middle.x + right, middle.y])} color={TEXT} />;
  }
  if (entry.kind === "state") return <StateMarker state={entry.state} {...middle} color={TEXT} />;
  const { color, dash, marker } = lookOf(entry);
  if (entry.kind === "bar") {
    return (
      <rect
        x={4}
        y={1}
        width={WIDTH - 8}
        height={HEIGHT - 2}
        fill={fillOf(entry.fills, entry)}
        stroke={color}
      />
    );
  }
  return (
    <>
      <path
        d={`M0 ${HEIGHT / 2}H${WIDTH}`}
        stroke={color}
        strokeWidth={2}
        strokeDasharray={dash || undefined}
      />
      <CurveMarker shape={marker} {...middle} color={color} />
    </>
  );
}
