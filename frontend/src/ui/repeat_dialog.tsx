import { Alert, Button, Checkbox, Group, Modal, Stack, Text } from "@mantine/core";
import type { UseMutationResult, UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { ButtonLink } from "./link";
import { Loaded } from "./loaded";
import { PlanImpact } from "./plan_impact";
import { PlanFigures, PlanSight } from "./plan_in_short";
import { ProblemAlert } from "./problem_alert";
import { useRepetitionText } from "./repetition_text";

type Plan = Schemas["PlanView"];
type Run = Schemas["RunSummary"];
type Changes = Pick<Schemas["NextRun"], "rounds" | "seconds" | "trials">;

export interface Repeated {
  changes: Changes;
  /** Reads the plan and queues; called only while the dialog is open. */
  use: (
    changes: Changes,
    asked: boolean,
  ) => {
    plan: UseQueryResult<Plan>;
    queue: UseMutationResult<Run, Error, boolean>;
  };
}

/** The plan of a repeated run, with its time and detectable effect; then its queueing. */
export function RepeatDialog({ changes, use, onClose }: Repeated & { onClose: () => void }) {
  const { t } = useTranslation(["runs", "common", "experiments"]);
  const text = useRepetitionText();
  const { plan, queue } = use(changes, true);
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t("repeat.title", { what: text(changes) })}
      closeButtonProps={{ "aria-label": t("common:close") }}
    >
      <Stack>
        <Loaded query={plan} lines={5}>
          {(found) => <Planned plan={found} queue={queue} onClose={onClose} />}
        </Loaded>
      </Stack>
    </Modal>
  );
}

function Planned({
  plan,
  queue,
  onClose,
}: {
  plan: Plan;
  queue: UseMutationResult<Run, Error, boolean>;
  onClose: () => void;
}) {
  const { t } = useTranslation(["runs", "common", "experiments"]);
  const [understood, setUnderstood] = useState(false);
  const [forced, setForced] = useState(false);
  const switches = plan.mode_switches;
  const obstacles = plan.obstacles.filter(({ level }) => level !== "note");
  const refused = obstacles.some(({ level }) => level === "refused");
  const needsForce = obstacles.length > 0 && !refused;
  if (queue.data) return <Queued run={queue.data} />;
  return (
    <>
      <PlanFigures plan={plan} />
      <PlanSight plan={plan} />
      <PlanImpact impact={plan.impact} />
      <Text size="sm">{t("repeat.alone")}</Text>
      {obstacles.map((one) => (
        <Alert
          key={`${one.cluster} ${one.code} ${one.subject} ${one.axis} ${one.value}`}
          role="note"
          color={one.level === "refused" ? "red" : "orange"}
          variant="light"
          title={one.cause.text}
        >
          {t("experiments:to_fix", { remedy: one.remedy.text })}
        </Alert>
      ))}
      {needsForce && (
        <Checkbox
          label={t("experiments:force")}
          checked={forced}
          onChange={(event) => setForced(event.currentTarget.checked)}
        />
      )}
      {switches > 0 && (
        <>
          <Alert
            role="note"
            color="orange"
            variant="light"
            title={t("experiments:switch_warning", { count: switches })}
          >
            {t("experiments:switch_warning_text")}
          </Alert>
          <Checkbox
            label={t("experiments:understood")}
            checked={understood}
            onChange={(event) => setUnderstood(event.currentTarget.checked)}
          />
        </>
      )}
      {queue.error && <ProblemAlert error={queue.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t("common:cancel")}
        </Button>
        <Button
          disabled={refused || (needsForce && !forced) || (switches > 0 && !understood)}
          loading={queue.isPending}
          onClick={() => queue.mutate(needsForce)}
        >
          {t("repeat.queue")}
        </Button>
      </Group>
    </>
  );
}

function Queued({ run }: { run: Run }) {
  const { t } = useTranslation("runs");
  return (
    <>
      <Text role="status">{t("repeat.queued", { name: run.name })}</Text>
      <Group justify="flex-end">
        <ButtonLink to="/runs/$runId" params={{ runId: run.id }}>
          {t("repeat.open")}
        </ButtonLink>
      </Group>
    </>
  );
}
