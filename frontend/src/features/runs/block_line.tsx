import { Badge, Group, Text } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { formatDuration } from "~/quantities/format";
import type { Block } from "~/queries/runs";
import { CaseStatusBadge } from "~/ui/badges";

/**
 * A block: its round, how it stands, what it took besides its trials, why it failed. Blocks to the
 * round `last` stand alike.
 */
export function BlockLine({ block, last, rounds }: { block: Block; last: number; rounds: number }) {
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
      {block.status === "succeeded" ? (
        // How its cases went is said below: this badge must not seem to say so.
        <Badge color="gray" variant="light" tt="none" leftSection={<IconCheck size={12} />}>
          {t("carried_out")}
        </Badge>
      ) : (
        <CaseStatusBadge status={block.status} />
      )}
      {times.length > 0 && (
        <Text inherit c="dimmed">
          {times.join(" · ")}
        </Text>
      )}
      {block.reason && <Text inherit>{block.reason.text}</Text>}
    </Group>
  );
}
