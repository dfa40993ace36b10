import { Button, Checkbox, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type Cluster, useChange } from "~/queries/clusters";
import { ProblemAlert } from "~/ui/problem_alert";

/** The owner says that the modes were restored by hand, so that runs may start again. */
export function RestoredForm({ cluster }: { cluster: Cluster }) {
  const { t } = useTranslation("clusters");
  const [sure, setSure] = useState(false);
  const change = useChange();
  return (
    <Stack align="flex-start">
      {cluster.needs_restore_reason && <Text size="sm">{cluster.needs_restore_reason.text}</Text>}
      <Checkbox
        label={t("restored_sure")}
        checked={sure}
        onChange={(event) => setSure(event.currentTarget.checked)}
      />
      {change.error && <ProblemAlert error={change.error} />}
      <Button
        disabled={!sure}
        loading={change.isPending}
        onClick={() => change.mutate({ of: cluster, change: { needs_restore: false } })}
      >
        {t("restored_button")}
      </Button>
    </Stack>
  );
}
