import { Anchor, Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { useMe } from "~/queries/accounts";
import { type Cluster, isLooking, useChange, usePreflight } from "~/queries/clusters";
import { ProblemAlert } from "~/ui/problem_alert";

type Obstacle = Schemas["Obstacle"];

/** What removes an obstacle, right where it is said. */
export function ObstacleFix({ obstacle, cluster }: { obstacle: Obstacle; cluster: Cluster }) {
  const { t } = useTranslation("experiments");
  const me = useMe();
  const change = useChange();
  const preflight = usePreflight(cluster.preflighted_at);
  const { fix } = obstacle;
  if (fix === "manifest") {
    return (
      <Anchor
        size="xs"
        href={`/api/v1/rbac?capability=${obstacle.subject}`}
        download="podmeter-rbac.yaml"
      >
        {t("fix.manifest")}
      </Anchor>
    );
  }
  if (fix === "preflight") {
    return (
      <>
        <Button
          size="compact-xs"
          variant="light"
          disabled={!me.may("operator")}
          loading={preflight.isPending || isLooking(cluster)}
          onClick={() => preflight.mutate(cluster.id)}
        >
          {t("fix.preflight", { cluster: cluster.name })}
        </Button>
        {preflight.error && <ProblemAlert error={preflight.error} />}
      </>
    );
  }
  if (fix === "allow_mode_switch" || fix === "allow_switch_by_hand" || fix === "allow_host_names") {
    return (
      <>
        <Button
          size="compact-xs"
          variant="light"
          disabled={!me.may("admin")}
          loading={change.isPending}
          onClick={() => change.mutate({ of: cluster, change: { [fix]: true } })}
        >
          {t(`fix.${fix}`, { cluster: cluster.name })}
        </Button>
        {change.error && <ProblemAlert error={change.error} />}
      </>
    );
  }
  return null;
}
