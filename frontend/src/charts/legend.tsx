import { Text } from "@mantine/core";
import { CurveMarker, Dots, StateMarker } from "./markers";
import { type Hued, lookOf, TEXT } from "./palette";
import { fillOf } from "./patterns";
import type { PointState } from "./types";

/** How a series looks, or what a mark without a value means. */
export type LegendEntry =
  | ({ kind: "curve"; label: string } & Hued)
  /** `fills` is the prefix of the chart's `BarPatterns`. */
  | ({ kind: "bar"; label: string; fills: string } & Hued)
  | { kind: "state"; label: string; state: PointState }
  | { kind: "trials"; label: string };

const WIDTH = 30;
const HEIGHT = 14;
const LIST = { display: "flex", flexWrap: "wrap", gap: "2px 18px", padding: 0, margin: 0 } as const;
const ENTRY = { display: "flex", alignItems: "center", gap: 6 } as const;

export function Legend({ entries }: { entries: readonly LegendEntry[] }) {
  if (entries.length === 0) return null;
  return (
    <ul style={LIST}>
      {entries.map((entry) => (
        <li key={entry.label} data-legend-entry="" style={ENTRY}>
          <svg width={WIDTH} height={HEIGHT} style={{ flexShrink: 0 }} aria-hidden="true">
            <Mark entry={entry} />
          </svg>
          <Text component="span" size="sm">
            {entry.label}
          </Text>
        </li>
      ))}
    </ul>
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
