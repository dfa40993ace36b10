import { Badge } from "@mantine/core";
import { IconLock, IconSwitchHorizontal } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";

/** Whether the cluster's owner lets runs switch its modes. */
export function SwitchBadge({ allowed }: { allowed: boolean }) {
  const { t } = useTranslation("clusters");
  const Icon = allowed ? IconSwitchHorizontal : IconLock;
  return (
    <Badge variant="default" tt="none" leftSection={<Icon size={12} />}>
      {allowed ? t("switch_allowed") : t("switch_not_allowed")}
    </Badge>
  );
}
