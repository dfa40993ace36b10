import { Alert, Anchor, Badge, Group, List, Paper, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconInfoCircle, IconRefresh } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import type { Plan } from "~/queries/experiments";
import type { Kind } from "~/queries/kinds";
import { PlanImpact } from "~/ui/plan_impact";
import { PlanFigures, PlanSight } from "~/ui/plan_in_short";
import { plannedCases } from "~/ui/planned_cases";
import { ProblemAlert } from "~/ui/problem_alert";
import { BlockList } from "./block_list";
import { CaseTable } from "./case_table";
import type { PlanState } from "./use_plan";

/** What a run of the specification would do, said before anything runs. */
export function PlanPanel({
  state,
  kinds,
  title,
}: {
  state: PlanState;
  kinds: readonly Kind[];
  title: string;
}) {
  const { t } = useTranslation("experiments");
  const { plan, current, faults, error, retry } = state;
  const kind = kinds.find(({ name }) => name === plan?.kind);
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="plan-title" aria-busy={!current}>
      <Stack gap="md">
        <Group justify="space-between">
          <Title order={2} size="h4" id="plan-title">
            {title}
          </Title>
          <div aria-live="polite">
            {plan && !current && (
              <Badge color="gray" variant="light" tt="none" leftSection={<IconRefresh size={12} />}>
                {t(faults.length > 0 ? "plan_of_before" : "plan_stale")}
              </Badge>
            )}
          </div>
        </Group>
        {error && <ProblemAlert error={error} retry={retry} />}
        {!plan && !error && (
          <Text size="sm" c="dimmed">
            {t(faults.length > 0 ? "no_plan_faults" : "no_plan_yet")}
          </Text>
        )}
        {plan && (
          <>
            <PlanFigures plan={plan} />
            <PlanSight plan={plan} />
            <PlanNotes plan={plan} />
            {plan.switches.length > 0 && <SwitchWarning plan={plan} />}
            <PlanImpact impact={plan.impact} />
            <CaseTable
              cases={plannedCases(plan).own}
              axisOrder={kind?.axes.map(({ name }) => name) ?? []}
            />
            <BlockList plan={plan} />
            <AccessNeeded plan={plan} />
          </>
        )}
      </Stack>
    </Paper>
  );
}

function PlanNotes({ plan }: { plan: Plan }) {
  return plan.notes.map((note) => (
    <Alert key={note.code} role="note" color="blue" variant="light" icon={<IconInfoCircle />}>
      <Text size="sm">{note.text}</Text>
    </Alert>
  ));
}

function SwitchWarning({ plan }: { plan: Plan }) {
  const { t } = useTranslation("experiments");
  return (
    <Alert
      role="note"
      color="orange"
      variant="light"
      icon={<IconAlertTriangle />}
      title={t("switch_warning", { count: plan.mode_switches })}
    >
      <Text size="sm">{t("switch_warning_text")}</Text>
    </Alert>
  );
}

function AccessNeeded({ plan }: { plan: Plan }) {
  const { t } = useTranslation("experiments");
  const word = useWords();
  const { capability } = plan;
  return (
    <div>
      <Title order={3} size="h6" mb={4}>
        {t("access_needed")}
      </Title>
      <List size="sm" spacing={4}>
        {plan.access.map((access) => (
          <List.Item key={access}>{t(`access.${access}`)}</List.Item>
        ))}
        {plan.switches.length > 0 && <List.Item>{t("access.switch")}</List.Item>}
      </List>
      <Anchor
        size="sm"
        href={`/api/v1/rbac?capability=${capability}`}
        download="podmeter-rbac.yaml"
      >
        {t("rbac_manifest", { capability: word("capability", capability) })}
      </Anchor>
    </div>
  );
}
