import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useMe, useSwitch } from "~/queries/accounts";
import { useOrganizationChanged } from "~/queries/acting";
import { ProblemAlert } from "~/ui/problem_alert";

/**
 * Another tab switched the session to another organization. Nothing more is read or changed here
 * until the user chooses one: the page would show one organization and act in the other.
 */
export function OrganizationChangedDialog() {
  const { t } = useTranslation("accounts");
  const elsewhere = useOrganizationChanged();
  const me = useMe();
  const back = useSwitch();
  return (
    <Modal
      opened={elsewhere}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t("elsewhere")}
    >
      <Stack>
        <Text size="sm">{t("elsewhere_text", { name: me.organization })}</Text>
        {back.error && <ProblemAlert error={back.error} />}
        <Group justify="flex-end">
          <Button
            variant="default"
            loading={back.isPending}
            onClick={() => back.mutate(me.organization_id, { onSuccess: () => location.reload() })}
          >
            {t("elsewhere_back", { name: me.organization })}
          </Button>
          <Button onClick={() => location.assign("/")}>{t("elsewhere_go_on")}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
