import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { type Experiment, useRemove } from "~/queries/experiments";
import { ProblemAlert } from "~/ui/problem_alert";
import { forgetText } from "./written_text";

/** Forgets an experiment, once asked and answered; its runs stay. */
export function DeleteButton({
  experiment,
  onDeleted,
}: {
  experiment: Experiment;
  onDeleted: () => void;
}) {
  const { t } = useTranslation(["experiments", "common"]);
  const [opened, { open, close }] = useDisclosure();
  const remove = useRemove(experiment.id);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconTrash size={16} />}
        onClick={() => {
          remove.reset();
          open();
        }}
      >
        {t("common:delete")}
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={t("delete_title")}
        closeButtonProps={{ "aria-label": t("common:close") }}
      >
        <Stack>
          <Text size="sm">{t("delete_text", { name: experiment.name })}</Text>
          {remove.error && <ProblemAlert error={remove.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus>
              {t("common:cancel")}
            </Button>
            <Button
              color="red.8"
              loading={remove.isPending}
              onClick={() =>
                remove.mutate(experiment.version, {
                  onSuccess: () => {
                    forgetText(experiment.id);
                    onDeleted();
                  },
                })
              }
            >
              {t("common:delete")}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
