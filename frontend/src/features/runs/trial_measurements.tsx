import { Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Schemas, Unit } from "~/api/types";
import { bracketed } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import { formatQuantity } from "~/quantities/format";
import { kindsOptions } from "~/queries/kinds";
import type { RunDetail, TrialDetail } from "~/queries/runs";
import { Table } from "~/ui/table";
import { TrialSeries } from "./trial_series";

const NONE: readonly Schemas["MetricDefinition"][] = [];

/** What a trial measured, in numbers and second by second. */
export function TrialMeasurements({ run, trial }: { run: RunDetail; trial: TrialDetail }) {
  const { t } = useTranslation("runs");
  const word = useWords();
  const kinds = useQuery(kindsOptions);
  if (!kinds.data) return null;
  const metrics = kinds.data.find((kind) => kind.name === run.kind)?.metrics ?? NONE;
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
            <Table.Head columns={[t("metric"), { label: t("value"), ta: "right" }]} />
            <Table.Tbody>
              {trial.measurements.map((one) => (
                <Table.Tr key={`${one.metric} ${one.subject}`}>
                  <Table.Th scope="row" fw={400}>
                    {word("metric", one.metric)}
                    {one.subject !== "" && (
                      <Text size="xs" c="dimmed">
                        {word("axis_value", one.subject)}
                      </Text>
                    )}
                  </Table.Th>
                  <Table.Td ta="right" style={{ whiteSpace: "nowrap" }} title={String(one.value)}>
                    {valueText(one.value, one.unit ?? undefined, t("unknown_unit"))}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Stack>
      <TrialSeries run={run} trial={trial} metrics={metrics} />
    </>
  );
}

function valueText(value: number, unit: Unit | undefined, unknown: string): string {
  return unit === undefined ? bracketed(String(value), unknown) : formatQuantity(value, unit);
}
