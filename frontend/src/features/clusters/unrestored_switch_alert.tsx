import { Alert, Button, Code, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { useMe } from "~/queries/accounts";
import { type Cluster, usePutBack } from "~/queries/clusters";
import { ProblemAlert } from "~/ui/problem_alert";

/** What another Podmeter switched in the cluster and left; its owner confirms it to have it back. */
export function UnrestoredSwitchAlert({ cluster }: { cluster: Cluster }) {
  const { t } = useTranslation("clusters");
  const word = useWords();
  const mayConfirm = useMe().may("admin");
  const putBack = usePutBack();
  const found = cluster.capabilities?.stood_before ?? [];
  if (found.length === 0) return null;
  return (
    <Alert
      role="alert"
      color="orange"
      variant="light"
      icon={<IconAlertTriangle />}
      title={t("stood_before")}
      mb="lg"
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t("stood_before_text")}</Text>
        {found.map((one) => (
          <Text key={one.axis} size="sm" component="div">
            {t("stood_before_one", {
              axis: word("axis", one.axis),
              component: one.component,
              holder: one.holder,
              since: one.since,
            })}
            <Code block mt={4}>
              {JSON.stringify(one.saved, null, 2)}
            </Code>
          </Text>
        ))}
        {putBack.error && <ProblemAlert error={putBack.error} />}
        {mayConfirm ? (
          <Button
            size="xs"
            loading={putBack.isPending}
            onClick={() => putBack.mutate({ id: cluster.id, stood_before: found })}
          >
            {t("stood_before_button")}
          </Button>
        ) : (
          <Text size="sm">{t("stood_before_admins")}</Text>
        )}
      </Stack>
    </Alert>
  );
}
