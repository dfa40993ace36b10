import { List, Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Point, Schemas } from "~/api/types";
import { useWords } from "~/i18n/words";
import { formatDuration } from "~/quantities/format";
import { CodeBlock } from "~/ui/code_block";
import { Disclosure } from "~/ui/disclosure";
import { Facts } from "~/ui/facts";
import { usePointText } from "~/ui/point_text";
import { SharedRuns } from "./shared_runs";

/** A shared experiment: what its runs found, and what anybody would run to find it again. */
export function SharedExperiment({ experiment }: { experiment: Schemas["SharedExperiment"] }) {
  const { t } = useTranslation("shared");
  const word = useWords();
  const pointText = usePointText();
  const { plan } = experiment;
  const parts = [
    t("cases", { count: plan.cases.length }),
    t("blocks", { count: plan.blocks }),
    t("trials", { count: plan.trials }),
  ];
  return (
    <Stack gap="xl">
      <Facts
        facts={[
          { term: t("kind"), value: word("kind", experiment.kind) },
          { term: t("plan"), value: parts.join(" · ") },
          { term: t("switching"), value: t("switches", { count: plan.switches }) },
          { term: t("expected"), value: formatDuration(plan.expected_seconds) },
        ]}
      />
      {experiment.notes !== "" && (
        <Text size="sm" style={{ whiteSpace: "pre-wrap" }}>
          {experiment.notes}
        </Text>
      )}
      <SharedRuns runs={experiment.runs} complete={experiment.complete} />
      <Stack component="section" gap="sm" aria-labelledby="specification">
        <Title order={2} size="h3" id="specification">
          {t("specification")}
        </Title>
        <CodeBlock text={experiment.yaml} label={t("specification")} />
        <Disclosure title={t("cases", { count: plan.cases.length })}>
          <List size="sm">
            {plan.cases.map((point) => (
              <List.Item key={JSON.stringify(point)}>{pointText(point as Point)}</List.Item>
            ))}
          </List>
        </Disclosure>
      </Stack>
    </Stack>
  );
}
