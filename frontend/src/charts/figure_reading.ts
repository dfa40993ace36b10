import type { TFunction } from "i18next";
import type { Unit } from "~/api/types";
import { parted, unbroken } from "~/i18n/punctuation";
import { type Scale, writeFigure, writeInterval } from "~/quantities/format";
import type { Reading } from "./legend";
import type { Bar } from "./types";

/** A figure with its interval, n and note; why there is none, where there is none. */
export function figureReading(
  { figure, state, n, note }: Pick<Bar, "figure" | "state" | "n" | "note">,
  unit: Unit,
  scale: Scale,
  t: TFunction<"charts">,
): Reading {
  const written = figure === null ? null : writeFigure(figure, unit, { scale });
  // What has no `low` at all never had an interval to miss.
  const interval =
    written && figure?.low !== undefined ? (writeInterval(written) ?? t("no_interval")) : null;
  return {
    value: written?.value ?? t(`state.${state}`),
    details: unbroken(
      parted([interval, n > 0 ? t("n", { n }) : null, note].filter((part) => part != null)),
    ),
  };
}
