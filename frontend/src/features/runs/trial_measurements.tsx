import { Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Unit } from "~/api/types";
import { SeriesChart } from "~/charts/series_chart";
import type { TimeSeries } from "~/charts/types";
import { useWords } from "~/i18n/words";
import { formatQuantity } from "~/quantities/format";
import { kindsOptions, type RunDetail, type TrialDetail } from "./queries";

/** What a trial measured, in numbers and second by second. */
export function TrialMeasurements({ run, trial }: { run: RunDetail; trial: TrialDetail }) {
  const { t } = useTranslation("runs");
  const word = useWords();
  const kinds = useQuery(kindsOptions);
  if (!kinds.data) return null;
  const metrics = kinds.data.find((kind) => kind.name === run.kind)?.metrics ?? [];
  const unitOf = new Map(metrics.map((metric) => [metric.name, metric.unit]));

  return (
    <>
      <Stack gap="sm">
        <Title order={3} size="h5">
          {t("measurements")}
        </Title>
        {trial.measurements.length === 0 ? (
          <Text c="dimmed">{t("no_measurements")}</Text>
        ) : (
          <Table>
            <Table.Caption className="visually-hidden">{t("measurements")}</Table.Caption>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">{t("metric")}</Table.Th>
                <Table.Th scope="col" ta="right">
                  {t("value")}
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {trial.measurements.map((one) => (
                <Table.Tr key={`${one.metric} ${one.subject}`}>
                  <Table.Th scope="row" fw={400}>
                    {word("metric", one.metric)}
                    {one.subject !== "" && (
                      <Text size="xs" c="dimmed">
                        {one.subject}
                      </Text>
                    )}
                  </Table.Th>
                  <Table.Td ta="right" style={{ whiteSpace: "nowrap" }} title={String(one.value)}>
                    {valueText(one.value, unitOf.get(one.metric), t("unknown_unit"))}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Stack>
      {seriesByMetric(trial, unitOf, word).map(([metric, series]) => (
        <SeriesChart
          key={metric}
          title={word("metric", metric)}
          series={series}
          fileName={`trial-${trial.id}-${metric}`}
        />
      ))}
    </>
  );
}

function valueText(value: number, unit: Unit | undefined, unknown: string): string {
  return unit === undefined ? `${value} (${unknown})` : formatQuantity(value, unit);
}

/** A chart for each metric; its subjects (the nodes) are the lines. */
function seriesByMetric(
  trial: TrialDetail,
  unitOf: ReadonlyMap<string, Unit>,
  word: ReturnType<typeof useWords>,
): [string, TimeSeries[]][] {
  const found = new Map<string, TimeSeries[]>();
  for (const { metric, subject, offsets, values } of trial.series) {
    const unit = unitOf.get(metric);
    if (unit === undefined) continue;
    const label = subject === "" ? word("metric", metric) : subject;
    const line = { key: `${metric} ${subject}`, label, unit, offsets, values };
    found.set(metric, [...(found.get(metric) ?? []), line]);
  }
  return [...found];
}
