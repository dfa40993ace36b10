import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { draftAddress, saveDraft } from "./drafts";

/**
 * Asks before a page with unsaved changes is left; looking at it in another way is not leaving.
 * Whose login has expired comes back, so what was typed is put aside.
 */
export function UnsavedGuard({ dirty, text }: { dirty: boolean; text: string }) {
  const { t } = useTranslation(["experiments", "common"]);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => {
      const [here, there] = [draftAddress(current), draftAddress(next)];
      if (!dirty || here === there) return false;
      if (next.pathname !== "/login" || !("expired" in next.search)) return true;
      saveDraft(here, text);
      return false;
    },
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
