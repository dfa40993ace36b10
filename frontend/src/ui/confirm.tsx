import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import type { UseMutationResult } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ProblemAlert } from "./problem_alert";

/** Asks before something is done that cannot be undone, and says why it was refused. */
export function Confirm({
  title,
  text,
  action,
  asked,
  error,
  pending,
  onConfirm,
  onClose,
}: {
  title: string;
  text: string;
  /** What the button does. */
  action: string;
  /** Whether it is being asked. */
  asked: boolean;
  error: Error | null;
  pending: boolean;
  onConfirm: () => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={asked}
      onClose={onClose}
      title={title}
      closeButtonProps={{ "aria-label": t("close") }}
    >
      <Stack>
        <Text size="sm">{text}</Text>
        {error && <ProblemAlert error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("cancel")}
          </Button>
          <Button color="red" loading={pending} onClick={onConfirm}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** What is done to one of several things: to the `item` asked about, once the user confirms. */
export function useConfirmed<Item>(mutation: UseMutationResult<unknown, Error, Item>) {
  const [item, ask] = useState<Item | null>(null);
  function close() {
    mutation.reset();
    ask(null);
  }
  return {
    item,
    ask,
    /** The part of `Confirm` that is not its texts. */
    dialog: {
      asked: item !== null,
      error: mutation.error,
      pending: mutation.isPending,
      onConfirm: () => item !== null && mutation.mutate(item, { onSuccess: close }),
      onClose: close,
    },
  };
}
