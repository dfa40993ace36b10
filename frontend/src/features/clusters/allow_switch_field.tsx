import { Alert, Checkbox, Stack } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";

/** Whether runs may switch the cluster's modes, with what that means to everybody on it. */
export function AllowSwitchField({
  checked,
  onChange,
}: {
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  const { t } = useTranslation("clusters");
  return (
    <Stack gap="xs">
      <Checkbox
        label={t("allow_switch")}
        description={t("allow_switch_text")}
        checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {checked && (
        <Alert color="orange" variant="light" icon={<IconAlertTriangle />} role="status">
          {t("allow_switch_warning")}
        </Alert>
      )}
    </Stack>
  );
}
