import { ActionIcon, Button, type ButtonProps } from "@mantine/core";
import { IconStethoscope } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useMe } from "~/queries/accounts";
import { type Cluster, isLooking, type usePreflight } from "~/queries/clusters";

/** Asks for a preflight. The caller owns the mutation, to show its errors. */
export function PreflightButton({
  cluster,
  preflight,
  short = false,
  ...button
}: {
  cluster: Cluster;
  preflight: ReturnType<typeof usePreflight>;
  /** Its sign alone. */
  short?: boolean;
} & ButtonProps) {
  const { t } = useTranslation("clusters");
  const me = useMe();
  if (!me.may("operator")) return null;
  const looking = isLooking(cluster);
  const made = cluster.preflight_state !== "never";
  const says = looking
    ? t(`preflight_${cluster.preflight_state}`)
    : t(made ? "preflight_again" : "preflight");
  if (short) {
    return (
      <ActionIcon
        variant="default"
        aria-label={says}
        title={says}
        loading={preflight.isPending}
        disabled={looking}
        onClick={() => preflight.mutate(cluster.id)}
      >
        <IconStethoscope size={16} />
      </ActionIcon>
    );
  }
  return (
    <Button
      variant="default"
      leftSection={<IconStethoscope size={16} />}
      loading={preflight.isPending}
      disabled={looking}
      onClick={() => preflight.mutate(cluster.id)}
      {...button}
    >
      {says}
    </Button>
  );
}
