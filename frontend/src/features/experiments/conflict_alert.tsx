import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconGitMerge } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Experiment } from "~/queries/experiments";
import { CopyButton } from "~/ui/copy_button";
import { Moment } from "~/ui/moment";

/** Somebody else has saved since: nothing is overwritten and nothing typed is lost unasked. */
export function ConflictAlert({
  theirs,
  mine,
  onKeepMine,
  onTakeTheirs,
}: {
  theirs: Experiment;
  mine: string;
  onKeepMine: () => void;
  onTakeTheirs: () => void;
}) {
  const { t } = useTranslation("experiments");
  return (
    <Alert
      role="alert"
      color="orange"
      variant="light"
      icon={<IconGitMerge />}
      title={t("conflict")}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {t("conflict_text", { version: theirs.version })} <Moment at={theirs.updated_at} />
        </Text>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={onTakeTheirs}>
            {t("take_theirs")}
          </Button>
          <Button size="xs" variant="default" onClick={onKeepMine}>
            {t("keep_mine")}
          </Button>
          <CopyButton text={mine} label={t("copy_mine")} />
        </Group>
      </Stack>
    </Alert>
  );
}

/** After theirs was taken: the text that stood before can still be had. */
export function MineAside({
  mine,
  onPutBack,
  onDismiss,
}: {
  mine: string;
  onPutBack: () => void;
  onDismiss: () => void;
}) {
  const { t } = useTranslation(["experiments", "common"]);
  return (
    <Alert
      role="status"
      color="blue"
      variant="light"
      title={t("mine_aside")}
      withCloseButton
      closeButtonLabel={t("common:close")}
      onClose={onDismiss}
    >
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={onPutBack}>
          {t("put_mine_back")}
        </Button>
        <CopyButton text={mine} label={t("copy_mine")} />
      </Group>
    </Alert>
  );
}
