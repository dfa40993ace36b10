import { IconShare } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { ButtonLink } from "~/ui/link";

/** Leads to the dialog that makes a thing public. */
export function ShareLink({
  of,
  id,
  size,
}: {
  of: Schemas["SnapshotContent"]["subject"];
  id: string;
  size?: string;
}) {
  const { t } = useTranslation("finding");
  return (
    <ButtonLink
      size={size}
      variant="default"
      leftSection={<IconShare size={size === "xs" ? 14 : 16} />}
      to="/snapshots"
      search={{ share: `${of}:${id}` }}
    >
      {t("share")}
    </ButtonLink>
  );
}
