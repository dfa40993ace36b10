import { Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import {
  endedBlocks,
  type RunDetail,
  type RunPlan,
  runPlanOptions,
  type Trial,
  trialsOptions,
} from "~/queries/runs";
import { ByHandNotice } from "./by_hand_notice";
import { CaseBar } from "./case_bar";
import { endedTrials, roughly, timeLeft } from "./progress";
import { QueuePlace } from "./run_table";
import { useNow } from "./use_now";

/** How far the run has come, what it waits for, and about how long it will take. */
export function RunProgress({ run }: { run: RunDetail }) {
  const { t } = useTranslation("runs");
  const going = run.state !== "finished";
  const plan = useQuery({ ...runPlanOptions(run.id), enabled: going });
  const trials = useQuery({ ...trialsOptions(run.id, endedBlocks(run)), enabled: going });
  const measured = going &&
    plan.data &&
    trials.data && { plan: plan.data, trials: trials.data.items };
  return (
    <Stack gap={4}>
      <CaseBar run={run} size="lg" trials={measured ? ofTrials(run, measured) : undefined} />
      {run.waiting && <ByHandNotice waiting={run.waiting} />}
      {going && (
        <Group gap="xs" mih={22}>
          <QueuePlace run={run} />
          {run.state === "preflight" && (
            <Line>{run.reason ? run.reason.text : t("in_preflight")}</Line>
          )}
          {run.state === "cleaning" && <Line>{t("in_cleaning")}</Line>}
          {run.cancel_requested_at !== null && run.state !== "cleaning" && (
            <Line>{t("stopping")}</Line>
          )}
          {run.state !== "waiting" && <TimeLeft run={run} />}
        </Group>
      )}
    </Stack>
  );
}

interface Measured {
  plan: RunPlan;
  trials: readonly Trial[];
}

function ofTrials(run: RunDetail, { plan, trials }: Measured) {
  if (plan.trials === 0) return undefined;
  return { ended: endedTrials(run, trials).length, planned: plan.trials };
}

/** Ticks in steps that are worth reading, and is not read out. */
function TimeLeft({ run }: { run: RunDetail }) {
  const { t } = useTranslation("runs");
  const now = useNow(true, 5_000);
  const seconds = timeLeft(run, now);
  if (seconds === null) return null;
  const key = run.state === "queued" ? "will_take" : "left";
  return <Line>{seconds === 0 ? t("left_soon") : t(key, { duration: roughly(seconds) })}</Line>;
}

function Line({ children }: { children: string }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  );
}
