import { Badge, Group, Text } from "@mantine/core";
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { formatDuration } from "~/quantities/format";
import type { Block } from "~/queries/runs";
import { CaseStatusBadge } from "~/ui/badges";
import type { BlockOutcome } from "./block_outcome";

interface BlockLineProps {
  block: Block;
  /** Null while it is unknown. */
  outcome: BlockOutcome | null;
  last: number;
  rounds: number;
}

/**
 * A block: its round, how it stands, what it took besides its trials, why it failed. Blocks to the
 * round `last` stand alike.
 */
export function BlockLine({ block, outcome, last, rounds }: BlockLineProps) {
  const { t } = useTranslation("runs");
  const times = [
    block.switching_seconds !== null &&
      t("switching", { duration: formatDuration(block.switching_seconds) }),
    block.preparing_seconds !== null &&
      t("preparing", { duration: formatDuration(block.preparing_seconds) }),
    block.cleaning_seconds !== null &&
      t("cleaning", { duration: formatDuration(block.cleaning_seconds) }),
  ].filter(Boolean);
  return (
    <Group component="li" gap="xs" fz="sm">
      <Text inherit fw={500}>
        {last !== block.round
          ? t("rounds_to", { first: block.round, last })
          : rounds > 1
            ? t("round", { round: block.round })
            : t("block")}
      </Text>
      {outcome && <OutcomeBadge outcome={outcome} />}
      {times.length > 0 && (
        <Text inherit c="dimmed">
          {times.join(" · ")}
        </Text>
      )}
      {block.reason && <Text inherit>{block.reason.text}</Text>}
    </Group>
  );
}

function OutcomeBadge({ outcome: { status, failed, trials } }: { outcome: BlockOutcome }) {
  const { t } = useTranslation("runs");
  if (status !== "succeeded") return <CaseStatusBadge status={status} />;
  const [color, Icon] = failed > 0 ? ["orange", IconAlertTriangle] : ["gray", IconCheck];
  return (
    <Badge color={color} variant="light" tt="none" leftSection={<Icon size={12} />}>
      {failed > 0 ? t("carried_out_failed", { failed, count: trials }) : t("carried_out")}
    </Badge>
  );
}
