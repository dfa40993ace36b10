import { Progress, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Run } from "~/queries/runs";

const COLORS = [
  ["succeeded", "green"],
  ["failed", "red"],
  ["skipped", "orange"],
  ["running", "blue"],
] as const;

/** How many cases are over, as a bar and in words; colours only repeat what the words say. */
export function CaseBar({ run, size = "sm" }: { run: Pick<Run, "progress">; size?: string }) {
  const { t } = useTranslation("runs");
  const { progress } = run;
  const total = Object.values(progress).reduce((sum, count) => sum + count, 0);
  const over = progress.succeeded + progress.failed + progress.skipped;
  const besides = [
    progress.failed > 0 && t("failed_count", { count: progress.failed }),
    progress.skipped > 0 && t("skipped_count", { count: progress.skipped }),
  ].filter(Boolean);
  const text = t("cases_over", { count: total, over });
  return (
    <Stack gap={4}>
      <Progress.Root size={size} aria-hidden>
        {COLORS.map(([status, color]) => (
          <Progress.Section
            key={status}
            withAria={false}
            color={color}
            value={total === 0 ? 0 : (progress[status] / total) * 100}
          />
        ))}
      </Progress.Root>
      <Text size="sm" c="dimmed">
        {[text, ...besides].join(" · ")}
      </Text>
    </Stack>
  );
}
