import { Alert, Button, Checkbox, Group, List, Modal, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { listed } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import type { Cluster } from "~/queries/clusters";
import type { Plan } from "~/queries/experiments";
import { SwitchImpact } from "~/ui/plan_impact";

/** The notes of a plan that name the nodes which feel a switch. */
const FELT = new Set(["switched_on_nodes", "switched_beside", "switched_everywhere"]);

interface SwitchConfirmationProps {
  opened: boolean;
  plan: Plan;
  clusters: readonly Cluster[];
  onClose: () => void;
  onConfirm: () => void;
}

/** A run that switches modes is felt by everybody on the cluster: it is never started in passing. */
export function SwitchConfirmation({ opened, onClose, ...rest }: SwitchConfirmationProps) {
  const { t } = useTranslation(["experiments", "common"]);
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t("confirm_switch")}
      closeButtonProps={{ "aria-label": t("common:close") }}
    >
      <Confirmation onClose={onClose} {...rest} />
    </Modal>
  );
}

function Confirmation({
  plan,
  clusters,
  onClose,
  onConfirm,
}: Omit<SwitchConfirmationProps, "opened">) {
  const { t } = useTranslation(["experiments", "common"]);
  const word = useWords();
  const [understood, setUnderstood] = useState(false);
  const felt = plan.obstacles.filter(({ code }) => FELT.has(code));
  const axes = [...new Set(plan.switches.map(({ axis }) => axis))];
  return (
    <Stack>
      <Text size="sm">
        {t("confirm_switch_on", { names: listed(clusters.map(({ name }) => name)) })}
      </Text>
      <List size="sm">
        {axes.map((axis) => (
          <List.Item key={axis}>
            {t("switched_through", {
              axis: word("axis", axis),
              values: plan.switches
                .filter((one) => one.axis === axis)
                .map(({ value }) => word("axis_value", value))
                .join(" → "),
            })}
          </List.Item>
        ))}
      </List>
      {felt.map((one) => (
        <Text size="sm" key={one.cluster}>
          {one.cause.text}
        </Text>
      ))}
      <SwitchImpact impact={plan.impact} />
      <Alert role="note" color="orange" variant="light" icon={<IconAlertTriangle />}>
        {t("switch_warning_text")}
      </Alert>
      <Checkbox
        label={t("understood")}
        checked={understood}
        onChange={(event) => setUnderstood(event.currentTarget.checked)}
        data-autofocus
      />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t("common:cancel")}
        </Button>
        <Button color="orange.9" disabled={!understood} onClick={onConfirm}>
          {t("switch_and_run")}
        </Button>
      </Group>
    </Stack>
  );
}
