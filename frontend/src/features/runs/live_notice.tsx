import { Affix, Alert, Text } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { formatDuration } from "~/quantities/format";
import { useNow } from "./use_now";

/** The connection is lost: how old is what is shown. Over the page, so that nothing jumps. */
export function LiveNotice({ at }: { at: number }) {
  const { t } = useTranslation("runs");
  const age = Math.max(0, (useNow(true) - at) / 1_000);
  return (
    <Affix position={{ bottom: 16, left: 16 }} zIndex={150} maw="calc(100vw - 32px)">
      <Alert
        role="note"
        color="orange"
        variant="outline"
        bg="var(--mantine-color-body)"
        icon={<IconPlugConnectedX />}
        style={{ boxShadow: "var(--mantine-shadow-md)" }}
      >
        <Text size="sm" fw={600} role="status">
          {t("connection_lost")}
        </Text>
        <Text size="sm">{t("shown_age", { age: formatDuration(age) })}</Text>
      </Alert>
    </Affix>
  );
}
