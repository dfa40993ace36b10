import { Text } from "@mantine/core";
import { useInViewport } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Point, Unit } from "~/api/types";
import { useWords } from "~/i18n/words";
import { formatQuantity } from "~/quantities/format";
import { type FloorFigure, type MeasuredFloor, noiseFloorOptions } from "~/queries/clusters";
import { Age } from "~/ui/age";
import { AnchorLink } from "~/ui/link";
import { usePointText } from "~/ui/point_text";

/** How far a cluster differs from itself, asked for once it is in sight. */
export function NoiseAtAGlance({ cluster }: { cluster: string }) {
  const { t } = useTranslation("overview");
  const { ref, inViewport } = useInViewport();
  const floor = useQuery({ ...noiseFloorOptions(cluster), enabled: inViewport, staleTime: 60_000 });
  const known = latestOfEachKind(floor.data?.measured ?? []);
  return (
    // A line is there before the answer is, so that nothing moves.
    <div ref={ref} data-noise="" style={{ minHeight: "1.5em" }}>
      <AnchorLink
        to="/clusters/$clusterId"
        params={{ clusterId: cluster }}
        search={{ tab: "noise" }}
        size="sm"
      >
        {t("noise_floor")}
      </AnchorLink>
      {floor.data && known.length === 0 && (
        <Text span size="sm">
          {" · "}
          {t("noise_unknown")}
        </Text>
      )}
      {known.map(({ floor: one, figure }) => (
        <Deviation key={one.kind} floor={one} figure={figure} />
      ))}
    </div>
  );
}

function Deviation({ floor, figure }: { floor: MeasuredFloor; figure: FloorFigure }) {
  const { t } = useTranslation("overview");
  const word = useWords();
  const pointText = usePointText();
  const { blocks } = figure;
  if (blocks === null) return null;
  const unit = blocks.relative ? "ratio" : (figure.unit as Unit);
  const [deviation, low, high] = [blocks.deviation, blocks.low, blocks.high].map((one) =>
    formatQuantity(one, unit),
  );
  return (
    <Text size="sm">
      {t("noise_blocks", {
        metric: word("metric", figure.metric),
        point: pointText(figure.point as Point),
        deviation,
        low,
        high,
      })}
      <Text span size="xs" c="dimmed">
        {" · "}
        {t("noise_runs", { count: floor.run_ids.length })}
        {" · "}
        <Age at={floor.last_at} />
        {floor.outdated.length > 0 && ` · ${t("noise_outdated")}`}
      </Text>
    </Text>
  );
}

/** The figure that most blocks were measured of, of the latest runs of each kind. */
function latestOfEachKind(measured: readonly MeasuredFloor[]) {
  const found = new Map<string, { floor: MeasuredFloor; figure: FloorFigure }>();
  for (const floor of measured) {
    const [figure] = floor.figures
      .filter(({ blocks }) => blocks !== null)
      .toSorted((one, other) => (other.blocks?.n ?? 0) - (one.blocks?.n ?? 0));
    if (figure !== undefined && !found.has(floor.kind)) found.set(floor.kind, { floor, figure });
  }
  return [...found.values()];
}
