import { Alert, Group, Stack, Text, Title } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { IMPORT } from "~/api/kinds";
import { useWords } from "~/i18n/words";
import { type RunDetail, type TrialDetail, trialOptions } from "~/queries/runs";
import { Facts } from "~/ui/facts";
import { Loaded } from "~/ui/loaded";
import { Warnings } from "~/ui/messages";
import { Moment } from "~/ui/moment";
import { useFactText } from "./fact_text";
import { InvocationView } from "./invocation_view";
import { TrialBadge } from "./trial_badge";
import { TrialMeasurements } from "./trial_measurements";
import { trialTime } from "./trial_time";

/** One trial with its exact commands, raw output, measurements and series. */
export function TrialView({ run, trialId }: { run: RunDetail; trialId: number }) {
  const trial = useQuery(trialOptions(run.id, trialId));
  return (
    <Loaded query={trial} lines={10}>
      {(found) => <Found run={run} trial={found} />}
    </Loaded>
  );
}

function Found({ run, trial }: { run: RunDetail; trial: TrialDetail }) {
  const { t } = useTranslation("runs");
  const factText = useFactText();
  const word = useWords();
  const overhead =
    trial.overhead_seconds === null ? t("overhead_unknown") : trialTime(trial.overhead_seconds);
  return (
    <Stack gap="lg">
      <Stack gap="sm">
        <Group gap="xs">
          <Title order={2} size="h4">
            {t(trial.warmup ? "warmup_number" : "trial_number", { number: trial.number })}
          </Title>
          <TrialBadge status={trial.status} />
        </Group>
        <Failure trial={trial} />
        <Warnings
          title={t("warnings", { count: trial.warnings.length })}
          warnings={trial.warnings}
        />
        <Facts
          columns={3}
          facts={[
            { term: t("round_short"), value: trial.round },
            { term: t("attempt_short"), value: trial.attempt },
            ...(trial.started_at === null
              ? []
              : [{ term: t("started"), value: <Moment at={trial.started_at} /> }]),
            ...(trial.seconds === null
              ? []
              : [{ term: t("trial_time"), value: trialTime(trial.seconds) }]),
            ...(trial.invocations.length > 0 && trial.tool_seconds !== null
              ? [{ term: t("tool_time"), value: trialTime(trial.tool_seconds) }]
              : []),
            ...(run.kind === IMPORT ? [] : [{ term: t("overhead"), value: overhead }]),
            ...(trial.limited_by === null
              ? []
              : [{ term: t("limited_by"), value: word("limited_by", trial.limited_by) }]),
            ...Object.entries(trial.facts).map(([name, value]) => factText(name, value)),
          ]}
        />
      </Stack>
      <TrialMeasurements run={run} trial={trial} />
      <Stack gap="sm">
        <Title order={3} size="h5">
          {t("commands")}
        </Title>
        {trial.invocations.length === 0 && <Text c="dimmed">{t("no_commands")}</Text>}
        {trial.invocations.map((invocation, index) => (
          <InvocationView
            // A trial's invocations never change their order.
            key={`${index}-${invocation.tool}`}
            invocation={invocation}
            number={index + 1}
            fileStem={`trial-${trial.id}-${index + 1}-${invocation.tool}`}
          />
        ))}
      </Stack>
    </Stack>
  );
}

function Failure({ trial }: { trial: TrialDetail }) {
  const { t } = useTranslation("runs");
  if (trial.failure === null) return null;
  const { code, message, temporary } = trial.failure;
  return (
    <Alert role="note" color="red" icon={<IconX />} title={t("failure", { code })}>
      <Text size="sm">{message.text}</Text>
      <Text size="sm" c="dimmed">
        {t(temporary ? "temporary" : "permanent")}
      </Text>
    </Alert>
  );
}
