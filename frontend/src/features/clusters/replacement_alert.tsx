import { Alert, Code, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconClock } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Replacement } from "~/queries/clusters";
import { Moment } from "~/ui/moment";

const LOOK = {
  pending: { color: "blue", Icon: IconClock },
  refused: { color: "red", Icon: IconAlertTriangle },
  accepted: { color: "green", Icon: IconCheck },
} as const;

/** What became of a kubeconfig that had to wait until the same cluster was seen through it. */
export function ReplacementAlert({ replacement }: { replacement: Replacement }) {
  const { t } = useTranslation("clusters");
  const { state, reason, server, at } = replacement;
  const { color, Icon } = LOOK[state];
  return (
    <Alert
      role="status"
      variant="light"
      color={color}
      icon={<Icon />}
      title={t(`replacement_${state}`)}
    >
      <Stack gap="xs">
        <Text size="sm">
          {server !== null && (
            <>
              <Code>{server}</Code> ·{" "}
            </>
          )}
          <Moment at={at} />
        </Text>
        {reason && <Text size="sm">{reason.text}</Text>}
        <Text size="sm">{t(`replacement_${state}_means`)}</Text>
      </Stack>
    </Alert>
  );
}
