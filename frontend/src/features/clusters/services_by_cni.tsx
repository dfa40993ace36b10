import { Alert } from "@mantine/core";
import { IconRoute } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { ClusterReport } from "~/queries/clusters";

/** That kube-proxy's mode decides nothing of what pods ask, where Cilium answers before it. */
export function ServicesByCni({ found }: { found: Pick<ClusterReport, "services_by_cni"> }) {
  const { t } = useTranslation("clusters");
  if (!found.services_by_cni) return null;
  return (
    <Alert color="orange" variant="light" icon={<IconRoute />} mb="sm">
      {t("services_by_cni")}
    </Alert>
  );
}
