import { Flex, Progress, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Run } from "~/queries/runs";

const COLORS = [
  ["succeeded", "green"],
  ["failed", "red"],
  ["skipped", "gray"],
  ["running", "blue"],
] as const;

interface CaseBarProps {
  run: Pick<Run, "progress">;
  size?: string;
  /** Of a run that continues: in several rounds no case is over before the last. */
  trials?: { ended: number; planned: number } | undefined;
  /** In one line, the bar before the words. */
  inline?: boolean;
}

/** How much is over, as a bar and in words; colours only repeat what the words say. */
export function CaseBar({ run, size = "sm", trials, inline = false }: CaseBarProps) {
  const { t } = useTranslation("runs");
  const { progress } = run;
  const total = Object.values(progress).reduce((sum, count) => sum + count, 0);
  const over = progress.succeeded + progress.failed + progress.skipped;
  const besides = [
    progress.failed > 0 && t("failed_count", { count: progress.failed }),
    progress.skipped > 0 && t("skipped_count", { count: progress.skipped }),
  ].filter(Boolean);
  const text = t("cases_over", { count: total, over });
  const words = [
    trials && t("trials_of", { counted: trials.ended, count: trials.planned }),
    text,
    ...besides,
  ].filter(Boolean);
  const sections = COLORS.map(([status, color]) => ({
    status,
    color,
    share: total === 0 ? 0 : progress[status] / total,
  }));
  const shown = trials
    ? [{ status: "ended", color: "blue", share: trials.ended / trials.planned }]
    : sections;
  return (
    <Flex
      direction={inline ? "row" : "column"}
      align={inline ? "center" : "stretch"}
      gap={inline ? 8 : 4}
    >
      <Progress.Root size={size} aria-hidden w={inline ? 40 : undefined} style={{ flexShrink: 0 }}>
        {shown.map(({ status, color, share }) => (
          <Progress.Section
            key={status}
            withAria={false}
            color={color}
            striped={status === "running"}
            value={share * 100}
          />
        ))}
      </Progress.Root>
      <Text
        size={inline ? "xs" : "sm"}
        c="dimmed"
        data-figures=""
        title={inline ? words.join(" · ") : undefined}
      >
        {inline ? [`${over}/${total}`, ...besides].join(" · ") : words.join(" · ")}
      </Text>
    </Flex>
  );
}
