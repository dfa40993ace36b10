import { Badge, Group, Paper, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Side } from "./model/sides";

/** What everything below is compared with; stays in sight. */
export function BaselineBar({ side }: { side: Side }) {
  const { t } = useTranslation("compare");
  return (
    <Paper
      withBorder
      shadow="xs"
      px="md"
      py={6}
      data-testid="baseline"
      style={{ position: "sticky", top: "var(--app-shell-header-height, 0px)", zIndex: 5 }}
    >
      <Group gap="sm" wrap="nowrap">
        <Badge variant="outline" tt="none" style={{ flexShrink: 0 }}>
          {t("baseline")}
        </Badge>
        <Text size="sm" fw={600}>
          {side.full}
        </Text>
      </Group>
    </Paper>
  );
}
