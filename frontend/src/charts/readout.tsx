import { Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useTranslation } from "react-i18next";
import type { Focus } from "./focus";
import { Legend, type LegendEntry, type Reading } from "./legend";
import { type Pointed, usePlace } from "./pointed";
import classes from "./readout.module.css";

export interface ReadAt {
  heading: string;
  readings: ReadonlyMap<string, Reading>;
}

interface ReadoutProps {
  entries: readonly LegendEntry[];
  /** Where there are several series, of which one can be drawn alone. */
  focus: Focus | undefined;
  pointed: Pointed;
  /** The values at one place of the chart; null is the default place. */
  readAt: (place: string | null) => ReadAt | null;
}

/**
 * The legend with the values at the pointer, above the plot: what is pointed at is never covered.
 * Arrow keys in the chart move it too.
 */
export function Readout({ entries, focus, pointed, readAt }: ReadoutProps) {
  const { t } = useTranslation("charts");
  const touched = useMediaQuery("(hover: none)", false, { getInitialValueInEffect: false });
  const place = usePlace(pointed);
  const read = readAt(place);
  return (
    <div className={classes.readout} data-pointed={place === null ? undefined : ""}>
      <Text
        size="xs"
        c="dimmed"
        className={read === null ? "on-screen" : undefined}
        aria-live="polite"
        data-readout=""
      >
        {read === null ? t(touched ? "tap_at" : "point_at") : read.heading}
      </Text>
      <Legend entries={entries} focus={focus} readings={read?.readings ?? NONE} />
    </div>
  );
}

const NONE: ReadonlyMap<string, Reading> = new Map();
