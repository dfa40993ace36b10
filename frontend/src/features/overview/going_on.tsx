import { Group, Paper, Progress, Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { listed } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import type { Run } from "~/queries/runs";
import { RunBadge } from "~/ui/badges";
import { AnchorLink } from "~/ui/link";
import { shareOf } from "./progress";

/** Runs that wait or go on, each with how far it is. */
export function GoingOn({ runs }: { runs: Run[] }) {
  const { t } = useTranslation("overview");
  const queued = runs.filter(({ state }) => state === "queued").length;
  return (
    <>
      {/* Said when runs come and go, not at every case. */}
      <Text size="sm" c="dimmed" role="status" mb="xs">
        {t("counts", { count: runs.length - queued, queued })}
      </Text>
      <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: "none" }}>
        {runs.map((run) => (
          <OneRun key={run.id} run={run} />
        ))}
      </Stack>
    </>
  );
}

function OneRun({ run }: { run: Run }) {
  const word = useWords();
  return (
    <Paper component="li" withBorder p="md">
      <Group gap="sm" justify="space-between" mb={4}>
        <Title order={3} size="h5">
          <AnchorLink to="/runs/$runId" params={{ runId: run.id }} inherit>
            {run.name}
          </AnchorLink>
        </Title>
        <RunBadge run={run} />
      </Group>
      <Text size="sm" c="dimmed" mb="xs">
        {[word("kind", run.kind), ...run.clusters.map(({ name }) => name)].join(" · ")}
      </Text>
      <HowFar run={run} />
    </Paper>
  );
}

function HowFar({ run }: { run: Run }) {
  const { t } = useTranslation("overview");
  if (run.state === "queued" && run.queue_position !== null) {
    return (
      <Text size="sm">
        {t("queue_position", { position: run.queue_position })}
        {run.reason && ` · ${run.reason.text}`}
      </Text>
    );
  }
  const { cases, done, failed, skipped, percent } = shareOf(run.progress);
  const told = [
    t("cases_done", { done, count: cases }),
    failed > 0 && t("cases_failed", { count: failed }),
    skipped > 0 && t("cases_skipped", { count: skipped }),
    run.cancel_requested_at !== null && t("cancelling"),
  ].filter((part) => part !== false);
  return (
    <>
      <Progress.Root size="md" role="img" aria-label={listed(told)}>
        <Progress.Section withAria={false} value={percent.succeeded} color="green" />
        <Progress.Section withAria={false} value={percent.failed} color="red" striped />
        <Progress.Section withAria={false} value={percent.skipped} color="gray" />
      </Progress.Root>
      <Text size="sm" mt={4}>
        {told.join(" · ")}
      </Text>
    </>
  );
}
