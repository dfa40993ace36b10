import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import {
  type CurvePair,
  curvePairs,
  figureOf,
  holds,
  numbersOf,
  type Row,
  textOf,
} from "~/api/rows";
import type { Comparison } from "~/api/types";
import { clauses } from "~/i18n/punctuation";
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
    curvePairs(contender.curves)
      .filter(({ difference: { key } }) => metricKey(key.metric, key.subject) === metric.key)
      .map((curve) => ({ curve, side: sides.contenders[place]?.short ?? "" })),
  );
  const first = found[0]?.curve;
  const axes = tellingAxes(found.map(({ curve }) => curve.shared));
  if (first === undefined) return null;
  const rangeOf = ({ difference }: CurvePair) => {
    const xs = numbersOf(difference, "xs");
    return { from: formatNumber(xs[0] ?? 0, true), to: formatNumber(xs.at(-1) ?? 0, true) };
  };
  const axis = word("axis", textOf(first.difference, "axis"));
  const ranges = found.map(({ curve }) => t("curves.caption", { axis, ...rangeOf(curve) }));
  // Rungs without a control are left out, so the curves may lie over different rungs.
  const alike = new Set(ranges).size === 1;
  return (
    <ScrollRegion minWidth={720} aria-label={t("curves.title")}>
      <Table fz="sm" stacked captionSide="top" style={{ overflowWrap: "normal" }}>
        <Table.Caption ta="start">{alike ? ranges[0] : t("curves.title")}</Table.Caption>
        <Table.Head
          columns={[
            t("contender"),
            t("case"),
            t("baseline_is", { side: sides.baseline.short }),
            t("contender"),
            t("curves.verdict"),
          ]}
        />
        <Table.Tbody>
          {found.map(({ curve, side }) => (
            <Table.Tr key={`${side}${JSON.stringify(curve.shared)}`}>
              <Table.Th scope="row">{side}</Table.Th>
              <Table.Td>
                {point(curve.shared, axes)}
                {!alike && (
                  <Text size="xs" c="dimmed">
                    {t("curves.range", { axis, ...rangeOf(curve) })}
                  </Text>
                )}
              </Table.Td>
              <Table.Td>
                <Shape row={curve.baseline} />
              </Table.Td>
              <Table.Td>
                <Shape row={curve.contender} />
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
function Shape({ row }: { row: Row }) {
  const { t } = useTranslation("compare");
  const word = useWords();
  const ratio = figureOf(row);
  const change = ratio && writeChange(changeOf(ratio));
  const interval = change && writeInterval(change);
  return (
    <>
      <Text size="sm">{clauses(word("shape", textOf(row, "shape")), change?.value)}</Text>
      {interval && (
        <Text size="xs" c="dimmed">
          {interval}
        </Text>
      )}
      {holds(row, "controlled") && (
        <Text size="xs" c="dimmed">
          {t("curves.controlled")}
        </Text>
      )}
    </>
  );
}

/** Who gets worse faster, and where the curves cross. */
function Course({ curve: { difference, crossing } }: { curve: CurvePair }) {
  const { t } = useTranslation("compare");
  const word = useWords();
  const degrades = textOf(difference, "degrades_more");
  return (
    <>
      <Text size="sm">
        {crossing === null
          ? t("curves.no_crossing")
          : t(
              holds(crossing, "contender_leads_after") ? "curves.overtakes" : "curves.falls_behind",
              {
                from: formatNumber(crossing.low ?? 0, true),
                to: formatNumber(crossing.high ?? 0, true),
                about: formatNumber(Math.round(crossing.value ?? 0), true),
                axis: word("axis", textOf(difference, "axis")),
              },
            )}
      </Text>
      {degrades !== "" && (
        <Text size="sm">
          {t(degrades === "baseline" ? "curves.baseline_degrades" : "curves.contender_degrades")}
        </Text>
      )}
    </>
  );
}
