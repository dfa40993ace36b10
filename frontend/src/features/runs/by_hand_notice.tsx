import { Alert, Stack, Text } from "@mantine/core";
import { IconHandClick } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { useWords } from "~/i18n/words";
import { roughly } from "./progress";
import { useNow } from "./use_now";

/** What somebody is to do for a run that waits, what the nodes show meanwhile, and how long. */
export function ByHandNotice({ waiting }: { waiting: Schemas["Waiting"] }) {
  const { t } = useTranslation("runs");
  const word = useWords();
  const now = useNow(true, 5_000);
  const { cluster, axis, mode, how, seen, unclear, original, until } = waiting;
  const left = (Date.parse(until) - now) / 1_000;
  const what = { cluster, axis: word("axis", axis), mode: word("axis_value", mode) };
  return (
    <Alert
      role="status"
      color="orange"
      variant="light"
      icon={<IconHandClick />}
      title={t("by_hand.title")}
    >
      <Stack gap={4}>
        <Text size="sm" fw={600}>
          {t(original ? "by_hand.back" : "by_hand.to", what)}
        </Text>
        <Text size="sm">{how.text}</Text>
        <Text size="sm">
          {seen !== null
            ? t("by_hand.seen", { seen: word("axis_value", seen) })
            : unclear === null
              ? t("by_hand.unseen")
              : unclear.text}
        </Text>
        <Text size="sm" c="dimmed">
          {left > 0 ? t("by_hand.left", { duration: roughly(left) }) : t("by_hand.over")}
        </Text>
      </Stack>
    </Alert>
  );
}
