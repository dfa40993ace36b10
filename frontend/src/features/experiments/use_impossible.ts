import { useTranslation } from "react-i18next";
import { parted } from "~/i18n/marks";
import { useMessageText } from "~/i18n/messages";
import type { Cluster } from "~/queries/clusters";
import type { Axis } from "~/queries/kinds";
import { whyNotSwitched } from "./readiness";

/** Why values of an axis cannot be had on the clusters that were chosen, by value. */
export type Impossible = (axis: Axis) => ReadonlyMap<string, string>;

export function useImpossible(clusters: readonly Cluster[]): Impossible {
  const { t } = useTranslation("experiments");
  const say = useMessageText();

  function why(cluster: Cluster, axis: Axis, value: string): string | null {
    if (!cluster.allow_mode_switch) return t("not_allowed_on", { cluster: cluster.name });
    const reasons = cluster.capabilities && whyNotSwitched(cluster.capabilities, axis.name, value);
    if (reasons === null) return null;
    const said = parted(reasons.map(say));
    return said === "" ? t("not_known_on", { cluster: cluster.name }) : said;
  }

  return (axis) => {
    if (axis.scope !== "cluster_mode") return new Map();
    return new Map(
      (axis.choices ?? []).flatMap((value) => {
        const found = clusters.flatMap((cluster) => why(cluster, axis, value) ?? []);
        return found.length === 0 ? [] : [[value, parted([...new Set(found)])] as const];
      }),
    );
  };
}
