import { Alert, Stack } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { followed } from "~/i18n/marks";
import { missingPartsOptions } from "~/queries/service";
import { Moment } from "~/ui/moment";

/** Which parts of Podmeter give no sign of life, and what does not go on until they do. */
export function PartsAlert() {
  const { t } = useTranslation("parts");
  const { data: missing = [] } = useQuery(missingPartsOptions);
  if (missing.length === 0) return null;
  return (
    <Stack gap="xs" mb="md">
      {missing.map(({ part, name, seen }) => (
        <Alert
          key={`${part} ${name}`}
          variant="light"
          color="red"
          p="sm"
          icon={<IconPlugConnectedX />}
          title={t(`${part}_missing`)}
        >
          {seen === null ? t("unseen") : <Seen moment={seen} />}
        </Alert>
      ))}
    </Stack>
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
