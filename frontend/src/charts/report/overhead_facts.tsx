import { Box, Group, Stack, Text, Title } from "@mantine/core";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { formatDuration, formatQuantity } from "~/quantities/format";
import { figureText } from "../figure_text";

/** What Podmeter itself took of the run's time. */
export const OverheadFacts = memo(function OverheadFacts({
  overhead,
}: {
  overhead: Schemas["Overhead"];
}) {
  const { t } = useTranslation("charts");
  const { median, maximum, n } = overhead;
  const facts: [string, string | null][] = [
    [t("overhead.median", { n }), median && figureText(median, "s")],
    [t("overhead.maximum"), maximum === null ? null : formatQuantity(maximum, "s")],
    ...(["switching", "preparing", "cleaning"] as const).map((what): [string, string | null] => {
      const seconds = overhead[what];
      return [t(`overhead.${what}`), seconds === null ? null : formatDuration(seconds)];
    }),
  ];
  const known = facts.filter(([, value]) => value !== null);
  if (known.length === 0) return null;
  return (
    <Stack component="section" gap="xs" aria-label={t("overhead.title")}>
      <Title order={2} size="h4">
        {t("overhead.title")}
      </Title>
      <Group component="dl" gap="xl" m={0}>
        {known.map(([label, value]) => (
          <Box key={label}>
            <Text component="dt" size="sm" c="dimmed">
              {label}
            </Text>
            <Text component="dd" m={0}>
              {value}
            </Text>
          </Box>
        ))}
      </Group>
    </Stack>
  );
});
