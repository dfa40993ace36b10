import { Badge, Group, Stack, Text } from "@mantine/core";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { CurveChart } from "~/charts/curve_chart";
import { useWords } from "~/i18n/words";
import { formatNumber, writeFigure, writeInterval } from "~/quantities/format";
import { Columns } from "~/ui/columns";
import { useMomentText } from "~/ui/moment";
import { EXAMPLE, exampleCurves } from "./example";

const change = writeFigure(EXAMPLE.change, "ratio");

/** The whole of it is in sight below the first steps. */
const LOW: Record<string, string> = { "--plot-height": "200px" };

/** What an answer looks like, before the installation has one: a published one, said to be that. */
export function ExampleResult() {
  const { t } = useTranslation("overview");
  const word = useWords();
  const moment = useMomentText();
  const curves = useMemo(() => exampleCurves((mode) => word("axis_value", mode)), [word]);
  return (
    <Stack gap="sm" style={LOW}>
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <Badge variant="light" color="gray" tt="none" miw="max-content" mt={2}>
          {t("example.badge")}
        </Badge>
        <Text fw={600}>
          {t("example.answer", {
            change: change.value,
            interval: writeInterval(change),
            many: formatNumber(EXAMPLE.many, true),
            few: EXAMPLE.few,
          })}
        </Text>
      </Group>
      <Columns several>
        <CurveChart
          title={word("metric", EXAMPLE.metric)}
          x={{ label: word("axis", "services"), scale: "log" }}
          y={{
            label: word("metric", EXAMPLE.metric),
            unit: "1/s",
            better: word("direction", "higher"),
            scale: "linear",
          }}
          curves={curves}
        />
        <Stack gap="xs">
          <Text size="sm">{t("example.why")}</Text>
          <Text size="sm">{t("example.advice", { many: formatNumber(EXAMPLE.many, true) })}</Text>
          <Text size="sm" c="dimmed">
            {t("example.where", { at: moment(EXAMPLE.at), rounds: EXAMPLE.rounds })}
          </Text>
        </Stack>
      </Columns>
    </Stack>
  );
}
