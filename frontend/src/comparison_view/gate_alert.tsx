import { Alert } from "@mantine/core";
import { IconAlertTriangle, IconBan } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";

const LOOKS = {
  confounded: { color: "orange", icon: <IconAlertTriangle /> },
  refused: { color: "red", icon: <IconBan /> },
} as const;

/** That something else differs too, or so much that nothing is compared. */
export function GateAlert({ verdict, axes }: { verdict: string; axes: string }) {
  const { t } = useTranslation("compare");
  const gate = verdict as keyof typeof LOOKS;
  return (
    <Alert variant="light" {...LOOKS[gate]} title={t(`gate.${gate}_title`)} p="sm">
      {t(`gate.${gate}`, { axes })}
    </Alert>
  );
}
