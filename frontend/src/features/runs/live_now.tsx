import { Alert, Badge, Group, Loader, Paper, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { labelled, listed } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import { casesOptions, logOptions, type RunDetail } from "~/queries/runs";
import { Moment } from "~/ui/moment";
import { usePointText } from "~/ui/point_text";
import { LiveIntervals } from "./live_intervals";
import { type NodeNow, nodesNow } from "./node_modes";

/** What a run does at this moment: its step, the mode of every node, what is decided so far. */
export function LiveNow({ run }: { run: RunDetail }) {
  const { t } = useTranslation("runs");
  const pointText = usePointText();
  const log = useQuery(logOptions(run.id));
  const cases = useQuery(casesOptions(run.id));
  const block = run.blocks.find(({ status }) => status === "running");
  const lines = log.data?.items ?? [];
  const last = lines.at(-1);
  const modes = block === undefined ? "" : pointText(block.modes);
  const nodes = block === undefined ? [] : nodesNow(block, cases.data ?? [], lines);
  return (
    <>
      <FailedBlock run={run} />
      <Paper component="section" withBorder p="md" aria-label={t("now")}>
        <Stack gap="sm">
          <Group gap="sm">
            <Text fw={600}>
              {block === undefined
                ? t("between_blocks")
                : labelled(
                    t("round", { round: block.round }),
                    modes === "" ? t("modes_as_they_stand") : modes,
                  )}
            </Text>
            {last && (
              <Text size="sm" c="dimmed" aria-live="polite">
                <Moment at={last.created_at} /> {last.message.text}
              </Text>
            )}
          </Group>
          {nodes.length > 0 && (
            <Group component="ul" gap="xs" p={0} m={0} style={{ listStyle: "none" }}>
              {nodes.map((one) => (
                <NodeState key={one.node} one={one} />
              ))}
            </Group>
          )}
          <LiveIntervals run={run} />
        </Stack>
      </Paper>
    </>
  );
}

function NodeState({ one: { node, roles, modes } }: { one: NodeNow }) {
  const { t } = useTranslation("runs");
  const word = useWords();
  return (
    <Paper component="li" withBorder px="sm" py={6}>
      <Group gap="xs">
        <Text size="sm" fw={500}>
          {node}
        </Text>
        <Text size="xs" c="dimmed">
          {listed(roles.map((role) => t(role)))}
        </Text>
        {modes.length === 0 && (
          <Text size="xs" c="dimmed">
            {t("mode_as_before")}
          </Text>
        )}
        {modes.map(({ axis, value, state }) => (
          <Badge
            key={axis}
            variant="light"
            tt="none"
            color={state === "switching" ? "blue" : "green"}
            leftSection={
              state === "switching" ? <Loader size={10} color="blue" /> : <IconCheck size={12} />
            }
          >
            {t(state === "switching" ? "node_switching" : "node_shows", {
              mode: word("axis_value", value),
            })}
          </Badge>
        ))}
      </Group>
    </Paper>
  );
}

/** The first block that fails is said at once: what failed it may fail all that follow. */
function FailedBlock({ run }: { run: RunDetail }) {
  const { t } = useTranslation("runs");
  const pointText = usePointText();
  const failed = run.blocks.filter(({ status }) => status === "failed");
  const [first] = failed;
  if (first === undefined) return null;
  const modes = pointText(first.modes);
  return (
    <Alert
      color="red"
      icon={<IconAlertTriangle />}
      title={t("blocks_failed", { count: failed.length })}
    >
      <Text size="sm">
        {labelled(
          t("round", { round: first.round }),
          [modes, first.reason?.text].filter(Boolean).join(" · "),
        )}
      </Text>
      <Text size="sm">{t("blocks_failed_text")}</Text>
    </Alert>
  );
}
