import { Text } from "@mantine/core";
import { useInViewport } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Point, Schemas, Unit } from "~/api/types";
import { useWords } from "~/i18n/words";
import { writeFigure, writeInterval } from "~/quantities/format";
import { type MeasuredFloor, noiseFloorOptions } from "~/queries/clusters";
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
      {known.map(({ floor: one, row }) => (
        <Deviation key={one.kind} floor={one} row={row} />
      ))}
    </div>
  );
}

function Deviation({ floor, row }: { floor: MeasuredFloor; row: Schemas["Projected"] }) {
  const { t } = useTranslation("overview");
  const word = useWords();
  const pointText = usePointText();
  const { key } = row;
  const deviation = writeFigure({ ...row, value: row.value ?? 0 }, key.unit as Unit);
  return (
    <Text size="sm">
      {t("noise_blocks", {
        metric: word("metric", key.metric),
        point: pointText(key.point as Point),
        deviation: deviation.value,
        interval: writeInterval(deviation),
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
  const found = new Map<string, { floor: MeasuredFloor; row: Schemas["Projected"] }>();
  for (const floor of measured) {
    const [row] = floor.figures
      .filter(({ code }) => code === "blocks")
      .toSorted((one, other) => (other.n ?? 0) - (one.n ?? 0));
    if (row !== undefined && !found.has(floor.kind)) found.set(floor.kind, { floor, row });
  }
  return [...found.values()];
}
