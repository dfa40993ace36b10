import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

/** Asks before a page with unsaved changes is left; looking at it in another way is not leaving. */
export function UnsavedGuard({ dirty }: { dirty: boolean }) {
  const { t } = useTranslation(["experiments", "common"]);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      dirty &&
      (current.pathname !== next.pathname || startOf(current.search) !== startOf(next.search)),
    enableBeforeUnload: dirty,
    withResolver: true,
  });
  return (
    <Modal
      opened={blocker.status === "blocked"}
      onClose={() => blocker.reset?.()}
      title={t("unsaved")}
      closeButtonProps={{ "aria-label": t("common:close") }}
    >
      <Stack>
        <Text size="sm">{t("unsaved_text")}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => blocker.proceed?.()}>
            {t("leave")}
          </Button>
          <Button data-autofocus onClick={() => blocker.reset?.()}>
            {t("stay")}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** What a new experiment starts from: another one replaces the text. */
function startOf(search: object): string {
  const { template, from } = search as { template?: string; from?: string };
  return JSON.stringify([template, from]);
}
