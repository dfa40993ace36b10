import { NativeSelect, Stack, Text } from "@mantine/core";
import { type ReactNode, useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { type ChartOverlay, ChartOverlays, type OverlayRequest } from "~/charts/chart_overlay";
import { keyOf } from "~/charts/layout/panels";
import { useValueName } from "~/charts/layout/use_value_name";
import { parted } from "~/i18n/punctuation";
import { formatQuantity } from "~/quantities/format";
import {
  type ChartedAxes,
  curvesOf,
  figuresFor,
  figuresOf,
  fitsAnywhere,
  type PublishedFigure,
  restOf,
} from "./figures";
import { PublishedBars, PublishedCurves } from "./published_marks";

type Document = Schemas["ReferenceDocument"];

interface PublishedBesideProps {
  /** Those that are offered. */
  references: readonly Schemas["ReferenceSummary"][];
  /** The chosen one; undefined while it is read. */
  reference: Document | undefined;
  chosen: string | undefined;
  onChoose: (id: string | undefined) => void;
  axes: ChartedAxes;
  children: ReactNode;
}

/** Around charts: published figures are drawn into them, apart from what was measured. */
export function PublishedBeside(props: PublishedBesideProps) {
  const { references, reference, chosen, onChoose, axes, children } = props;
  const { t } = useTranslation("references");
  const beside = useBeside(reference, axes);
  if (references.length === 0) return children;
  return (
    <Stack gap="md">
      <NativeSelect
        label={t("overlay")}
        description={chosen === undefined ? undefined : t("overlay_text")}
        value={chosen ?? ""}
        onChange={(event) => onChoose(event.currentTarget.value || undefined)}
        data={[
          { value: "", label: t("overlay_none") },
          ...references.map(({ id, subject, title }) => ({
            value: id,
            label: `${subject} · ${title}`,
          })),
        ]}
      />
      {reference !== undefined && !fitsAnywhere(reference, axes) && (
        <Text size="sm" role="status">
          {t("overlay_nothing")}
        </Text>
      )}
      <ChartOverlays value={beside}>{children}</ChartOverlays>
    </Stack>
  );
}

/** What is drawn into the chart that asks; null where nothing is chosen. */
function useBeside(reference: Document | undefined, axes: ChartedAxes) {
  const { t } = useTranslation("references");
  const nameValue = useValueName();
  return useMemo(() => {
    if (reference === undefined) return null;
    const figures = figuresOf(reference);
    const nameOf = (rest: PublishedFigure["point"]) =>
      Object.entries(rest)
        .map(([axis, value]) => nameValue(axis, value))
        .filter((name) => name !== "")
        .join(" · ");
    return (asked: OverlayRequest): ChartOverlay | undefined => {
      const { layout, y } = asked;
      const found = figuresFor(figures, axes, asked);
      if (found.length === 0) return undefined;
      const curves = curvesOf(found, axes, layout).map(({ key, rest, points }) => ({
        key,
        points,
        label: [t("published"), nameOf(rest)].filter(Boolean).join(": "),
      }));
      const marks = found.map(({ point, value }) => ({
        key: keyOf(point, Object.keys(point).toSorted()),
        group: keyOf(point, layout.x === null ? [] : [layout.x]),
        series: layout.series.every((axis) => point[axis] !== undefined)
          ? keyOf(point, layout.series)
          : undefined,
        value,
      }));
      const told = parted(
        found.map(({ point, value, doubtful }) => {
          const at = nameOf(restOf(point, axes, layout.facets));
          const text = formatQuantity(value, y.unit);
          return `${at ? `${at} ` : ""}${text}${doubtful ? "*" : ""}`;
        }),
      );
      return {
        describe: (description) => (
          <>
            {description}
            <Text size="sm" component="div" data-testid="published">
              ◇ {t("published")}, <span lang={reference.language}>{reference.title}</span>: {told}
              {found.some(({ doubtful }) => doubtful) && ` (* ${t("doubtful")})`}
            </Text>
          </>
        ),
        curves: (factor) => <PublishedCurves curves={curves} factor={factor} />,
        bars: (drawn) => <PublishedBars marks={marks} {...drawn} />,
      };
    };
  }, [reference, axes, nameValue, t]);
}
