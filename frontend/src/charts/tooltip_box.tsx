import { Paper, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** What a tooltip stands on; inside Recharts' own layer. */
export function TooltipBox({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Paper withBorder shadow="md" p="xs" maw={320} style={{ pointerEvents: "none" }}>
      <Text size="sm" fw={600}>
        {heading}
      </Text>
      {children}
    </Paper>
  );
}

/** One series of a tooltip. */
export function TooltipLine({
  mark,
  label,
  value,
  details,
}: {
  mark: ReactNode;
  label: string;
  value: string;
  details: (string | null | undefined)[];
}) {
  return (
    <div style={{ display: "flex", gap: 6, marginTop: 4 }}>
      <svg width={14} height={12} aria-hidden="true" style={{ flexShrink: 0, marginTop: 3 }}>
        {mark}
      </svg>
      <Text size="xs" component="div" style={{ overflowWrap: "break-word", minWidth: 0 }}>
        {label && `${label}: `}
        <strong>{value}</strong>
        <div style={{ opacity: 0.8 }}>{details.filter(Boolean).join(" · ")}</div>
      </Text>
    </div>
  );
}
