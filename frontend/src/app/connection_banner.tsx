import { Alert, Text } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useAwaySince } from "~/api/connection";
import { followed } from "~/i18n/punctuation";
import { Moment } from "~/ui/moment";

/** Podmeter does not answer: what is shown stays, with how old it is. */
export function ConnectionBanner() {
  const { t } = useTranslation("frame");
  const since = useAwaySince();
  return (
    <div role="status">
      {since !== null && (
        <Alert
          color="orange"
          variant="light"
          p="sm"
          mb="md"
          icon={<IconPlugConnectedX />}
          title={t("connection_lost")}
        >
          <Text size="sm">
            {followed(t("connection_lost_text"))}
            <Moment at={new Date(since).toISOString()} />
          </Text>
        </Alert>
      )}
    </div>
  );
}
