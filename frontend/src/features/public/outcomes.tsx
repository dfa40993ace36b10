import { Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { RunReport, Schemas } from "~/api/types";
import { RunBadge } from "~/ui/badges";
import { sideName } from "~/ui/comparison_text";

/** That a shared run, or a run of a shared comparison, did not succeed; nothing if all did. */
export function Outcomes({ content }: { content: Schemas["SnapshotContent"] }) {
  const { run, comparison } = content;
  if (run) return <RunOutcome report={run} />;
  if (!comparison) return null;
  const sides = [comparison.baseline, ...comparison.contenders.map((one) => one.side)];
  const runs = new Map(sides.map((side) => [side.run_id ?? side.label, side]));
  return [...runs].map(([key, side]) => (
    <Outcome key={key} outcome={side.outcome}>
      <Text size="sm">{sideName(side)}</Text>
    </Outcome>
  ));
}

function RunOutcome({ report: { run, cases } }: { report: RunReport }) {
  const { t } = useTranslation("public");
  const failed = cases.filter(({ status }) => status === "failed").length;
  return (
    <Outcome outcome={run.outcome}>
      <Stack gap={0}>
        {failed > 0 && <Text size="sm">{t("cases_failed", { failed, count: cases.length })}</Text>}
        {run.reason && <Text size="sm">{t("because", { reason: run.reason.text })}</Text>}
      </Stack>
    </Outcome>
  );
}

function Outcome({ outcome, children }: { outcome: string | null; children: ReactNode }) {
  if (outcome === null || outcome === "succeeded") return null;
  return (
    <Group gap="sm" align="flex-start" data-testid="outcome">
      <RunBadge run={{ state: "finished", outcome: outcome as Schemas["Outcome"] }} />
      {children}
    </Group>
  );
}
