import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Comparison, Schemas } from "~/api/types";
import { clauses } from "~/i18n/marks";
import { useWords } from "~/i18n/words";
import { formatNumber, writeChange, writeInterval } from "~/quantities/format";
import { usePointText } from "~/ui/point_text";
import { ScrollRegion, Table } from "~/ui/table";
import { changeOf } from "./model/charts";
import { type ComparedMetric, metricKey } from "./model/metrics";
import { tellingAxes } from "./model/rows";
import type { Sides } from "./model/sides";

/** How the curves of the metric run: what they do, and where one overtakes the other. */
export function CurveFindings({
  comparison,
  sides,
  metric,
}: {
  comparison: Comparison;
  sides: Sides;
  metric: ComparedMetric;
}) {
  const { t } = useTranslation("compare");
  const word = useWords();
  const point = usePointText();
  const found = comparison.contenders.flatMap((contender, place) =>
    contender.curves
      .filter((curve) => metricKey(curve.metric, curve.subject) === metric.key)
      .map((curve) => ({ curve, side: sides.contenders[place]?.short ?? "" })),
  );
  const first = found[0]?.curve;
  const axes = tellingAxes(found.map(({ curve }) => curve.shared));
  if (first === undefined) return null;
  return (
    <ScrollRegion minWidth={720} aria-label={t("curves.title")}>
      <Table fz="sm" stacked captionSide="top" style={{ overflowWrap: "normal" }}>
        <Table.Caption ta="start">
          {t("curves.caption", {
            axis: word("axis", first.axis),
            from: formatNumber(first.xs[0] ?? 0, true),
            to: formatNumber(first.xs.at(-1) ?? 0, true),
          })}
        </Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t("contender")}</Table.Th>
            <Table.Th scope="col">{t("case")}</Table.Th>
            <Table.Th scope="col">{t("baseline_is", { side: sides.baseline.short })}</Table.Th>
            <Table.Th scope="col">{t("contender")}</Table.Th>
            <Table.Th scope="col">{t("curves.verdict")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {found.map(({ curve, side }) => (
            <Table.Tr key={`${side}${JSON.stringify(curve.shared)}`}>
              <Table.Th scope="row">{side}</Table.Th>
              <Table.Td>{point(curve.shared, axes)}</Table.Td>
              <Table.Td>
                <Shape shape={curve.baseline} />
              </Table.Td>
              <Table.Td>
                <Shape shape={curve.contender} />
              </Table.Td>
              <Table.Td miw="12rem">
                <Course curve={curve} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
  );
}

/** What a curve does from its first to its last point. */
function Shape({ shape }: { shape: Schemas["CurveShape"] }) {
  const { t } = useTranslation("compare");
  const word = useWords();
  const change = shape.change && writeChange(changeOf(shape.change));
  const interval = change && writeInterval(change, "…");
  return (
    <>
      <Text size="sm">{clauses(word("shape", shape.shape), change?.value)}</Text>
      {interval && (
        <Text size="xs" c="dimmed">
          {interval}
        </Text>
      )}
      {shape.controlled && (
        <Text size="xs" c="dimmed">
          {t("curves.controlled")}
        </Text>
      )}
    </>
  );
}

/** Who gets worse faster, and where the curves cross. */
function Course({ curve }: { curve: Schemas["CurvePair"] }) {
  const { t } = useTranslation("compare");
  const word = useWords();
  const { crossing, degrades_more: degrades } = curve;
  return (
    <>
      <Text size="sm">
        {crossing === null
          ? t("curves.no_crossing")
          : t(crossing.contender_leads_after ? "curves.overtakes" : "curves.falls_behind", {
              from: formatNumber(crossing.last_before, true),
              to: formatNumber(crossing.first_after, true),
              about: formatNumber(Math.round(crossing.estimate), true),
              axis: word("axis", curve.axis),
            })}
      </Text>
      {degrades !== null && (
        <Text size="sm">
          {t(degrades === "baseline" ? "curves.baseline_degrades" : "curves.contender_degrades")}
        </Text>
      )}
    </>
  );
}
