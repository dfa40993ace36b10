import { Button, Group, Modal, Stack, Text } from "@mantine/core";
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
