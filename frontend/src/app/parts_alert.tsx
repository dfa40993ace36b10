import { Alert, Stack, Text } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { followed } from "~/i18n/punctuation";
import { missingPartsOptions } from "~/queries/service";
import { Moment } from "~/ui/moment";

/** Which parts of Podmeter give no sign of life, and what does not go on until they do. */
export function PartsAlert() {
  const { t } = useTranslation("parts");
  const { data: missing = [] } = useQuery(missingPartsOptions);
  if (missing.length === 0) return null;
  return (
    <Alert variant="light" color="red" p="sm" mb="md" icon={<IconPlugConnectedX />}>
      <Stack gap={4}>
        {missing.map(({ part, name, seen }) => (
          <Text key={`${part} ${name}`} size="sm">
            <Text span inherit fw={600} c="var(--mantine-color-error)">
              {t(`${part}_missing`)}
            </Text>{" "}
            {seen === null ? t("unseen") : <Seen moment={seen} />}
          </Text>
        ))}
      </Stack>
    </Alert>
  );
}

function Seen({ moment }: { moment: string }) {
  const { t } = useTranslation("parts");
  return (
    <>
      {followed(t("silent"))}
      <Moment at={moment} />
    </>
  );
}
