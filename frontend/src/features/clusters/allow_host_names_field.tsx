import { Checkbox } from "@mantine/core";
import { useTranslation } from "react-i18next";

/** Whether runs on the cluster may ask for host names of their own choice. */
export function AllowHostNamesField({
  checked,
  onChange,
}: {
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  const { t } = useTranslation("clusters");
  return (
    <Checkbox
      label={t("allow_host_names")}
      description={t("allow_host_names_text")}
      checked={checked}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
