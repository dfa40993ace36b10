import { Alert, Badge, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { UNKNOWN_LIMIT } from "~/api/rows";
import { useWords } from "~/i18n/words";
import { casesOptions, caseTrialsOptions, type RunDetail, type Trial } from "~/queries/runs";
import { CaseStatusBadge } from "~/ui/badges";
import { AnchorLink } from "~/ui/link";
import { Loaded } from "~/ui/loaded";
import { KEPT, Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";
import { TrialBadge } from "./trial_badge";
import { trialTime } from "./trial_time";

/** The trials of a case, all of them: warm-ups, void and failed ones too. */
export function CaseTrials({ run, caseId }: { run: RunDetail; caseId: number }) {
  const { t } = useTranslation("runs");
  const trials = useQuery(caseTrialsOptions(run.id, caseId));
  const cases = useQuery(casesOptions(run.id));
  const one = cases.data?.find((found) => found.id === caseId);
  if (cases.data && !one) {
    return (
      <Alert color="red" title={t("unknown_case")}>
        {t("unknown_case_text")}
      </Alert>
    );
  }
  return (
    <Stack>
      {one && (
        <Stack gap={4} align="flex-start">
          <CaseStatusBadge status={one.status} />
          {one.reason && <Text size="sm">{one.reason.text}</Text>}
        </Stack>
      )}
      <Loaded query={trials} lines={6}>
        {(found) =>
          found.length === 0 ? (
            <Text c="dimmed">{t(run.state === "finished" ? "no_trials" : "no_trials_yet")}</Text>
          ) : (
            <TrialTable trials={found} />
          )
        }
      </Loaded>
    </Stack>
  );
}

function TrialTable({ trials }: { trials: readonly Trial[] }) {
  const { t } = useTranslation("runs");
  const word = useWords();
  const attempts = new Set(trials.map((trial) => trial.attempt)).size > 1;
  const limited = trials.some(({ limited_by }) => (limited_by ?? UNKNOWN_LIMIT) !== UNKNOWN_LIMIT);
  return (
    <WideTable caption={t("trials")} captionHidden minWidth={480}>
      <Table.Head
        columns={[
          t("trial"),
          t("round_short"),
          attempts && t("attempt_short"),
          { label: t("state"), className: KEPT },
          limited && t("limited_by"),
          { label: t("trial_time"), ta: "right" },
        ]}
      />
      <Table.Tbody>
        {trials.map((trial) => (
          <Table.Tr key={trial.id}>
            <Table.Th scope="row" fw={400}>
              <AnchorLink
                from="/runs/$runId"
                to="."
                search={(old) => ({ ...old, trial: trial.id })}
                resetScroll={false}
              >
                {t(trial.warmup ? "warmup_number" : "trial_number", { number: trial.number })}
              </AnchorLink>
            </Table.Th>
            <Table.Td>{trial.round}</Table.Td>
            {attempts && <Table.Td>{trial.attempt}</Table.Td>}
            <Table.Td className={KEPT}>
              <TrialBadge status={trial.status} />
              {trial.warnings.length > 0 && (
                <Badge color="orange" variant="light" tt="none" ml={4}>
                  {t("warnings", { count: trial.warnings.length })}
                </Badge>
              )}
              {trial.failure && (
                <Text size="xs" c="dimmed">
                  {trial.failure.message.text}
                </Text>
              )}
            </Table.Td>
            {limited && (
              <Table.Td>
                {trial.limited_by === null ? "–" : word("limited_by", trial.limited_by)}
              </Table.Td>
            )}
            <Table.Td ta="right" style={{ whiteSpace: "nowrap" }}>
              {trial.seconds === null ? "–" : trialTime(trial.seconds)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
