import { Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useMessageText } from "~/i18n/messages";
import {
  casesOptions,
  endedBlocks,
  type RunDetail,
  runPlanOptions,
  trialsOptions,
} from "~/queries/runs";
import { CaseBar } from "./case_bar";
import { roughly, timeLeft } from "./progress";
import { QueuePlace } from "./run_table";
import { useNow } from "./use_now";

/** How far the run has come, what it waits for, and about how long it will take. */
export function RunProgress({ run }: { run: RunDetail }) {
  const { t } = useTranslation("runs");
  const say = useMessageText();
  const going = run.state !== "finished";
  return (
    <Stack gap={4}>
      <CaseBar run={run} size="lg" />
      {going && (
        <Group gap="xs" mih={22}>
          <QueuePlace run={run} />
          {run.state === "preflight" && (
            <Line>{run.reason ? say(run.reason) : t("in_preflight")}</Line>
          )}
          {run.state === "cleaning" && <Line>{t("in_cleaning")}</Line>}
          {run.cancel_requested_at !== null && run.state !== "cleaning" && (
            <Line>{t("stopping")}</Line>
          )}
          <TimeLeft run={run} />
        </Group>
      )}
    </Stack>
  );
}

/** Ticks in steps that are worth reading, and is not read out. */
function TimeLeft({ run }: { run: RunDetail }) {
  const { t } = useTranslation("runs");
  const plan = useQuery(runPlanOptions(run.id));
  const cases = useQuery(casesOptions(run.id));
  const trials = useQuery(trialsOptions(run.id, endedBlocks(run)));
  const now = useNow(true, 5_000);
  if (!plan.data || !cases.data || !trials.data) return null;
  const seconds = timeLeft(run, plan.data, cases.data, trials.data.items, now);
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
