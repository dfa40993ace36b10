import { Alert, Stack } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useMe } from "~/queries/accounts";
import type { Cluster } from "~/queries/clusters";
import { Section } from "~/ui/section";
import { DetailsForm } from "./details_form";
import { RemoveForm } from "./remove_form";
import { RestoredForm } from "./restored_form";
import { RotateForm } from "./rotate_form";

/** What its owner may change of a cluster. */
export function AccessTab({ cluster }: { cluster: Cluster }) {
  const { t } = useTranslation("clusters");
  const mayChange = useMe().may("admin");
  if (!mayChange) {
    return (
      <Alert icon={<IconLock />} color="gray">
        {t("access_admins_only")}
      </Alert>
    );
  }
  return (
    <Stack gap="lg" maw={760}>
      {cluster.needs_restore && (
        <Section framed title={t("restored")} text={t("restored_text")}>
          <RestoredForm cluster={cluster} />
        </Section>
      )}
      <Section framed title={t("details")}>
        <DetailsForm cluster={cluster} />
      </Section>
      <Section framed title={t("rotate")} text={t("rotate_text")}>
        <RotateForm cluster={cluster} />
      </Section>
      <Section framed title={t("remove")} text={t("remove_text")}>
        <RemoveForm cluster={cluster} />
      </Section>
    </Stack>
  );
}
