import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { RunDetail, Step } from "~/queries/runs";
import { ProblemAlert } from "~/ui/problem_alert";

/** Says what a step would do, and asks. */
export function ConfirmStep({
  step,
  run,
  error,
  pending,
  onConfirm,
  onClose,
}: {
  step: Step | null;
  run: RunDetail;
  error: Error | null;
  pending: boolean;
  onConfirm: (step: Step) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation("runs");
  return (
    <Modal
      opened={step !== null}
      onClose={onClose}
      title={step && t(`ask_${step}`)}
      closeButtonProps={{ "aria-label": t("keep_going") }}
    >
      {step && (
        <Stack>
          <Text fw={600}>{run.name}</Text>
          <Text size="sm">{t(`ask_${step}_text`)}</Text>
          {error && <ProblemAlert error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose} data-autofocus>
              {t("keep_going")}
            </Button>
            <Button
              color={step === "cancel" || step === "delete" ? "red" : undefined}
              loading={pending}
              onClick={() => onConfirm(step)}
            >
              {t(`step_${step}`)}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
