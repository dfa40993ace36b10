import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { clustersOptions } from "~/queries/clusters";
import { experimentsOptions } from "~/queries/experiments";

/** "cluster:<id>" or "experiment:<id>"; "" is everything. */
export function scopeOf(reach: string): Pick<Schemas["NewToken"], "cluster_id" | "experiment_id"> {
  const [kind, id] = reach.split(":");
  if (kind === "cluster") return { cluster_id: id };
  return kind === "experiment" ? { experiment_id: id } : {};
}

/** What a token is limited to. */
export function ReachField({
  value,
  onChange,
}: {
  value: string;
  onChange: (value: string) => void;
}) {
  const { t } = useTranslation(["settings", "common"]);
  const clusters = useQuery(clustersOptions);
  const experiments = useQuery(experimentsOptions);
  const items = (kind: string, rows: readonly { id: string; name: string }[] | undefined) =>
    (rows ?? []).map(({ id, name }) => ({ value: `${kind}:${id}`, label: name }));
  return (
    <NativeSelect
      label={t("reaches")}
      description={t("reaches_text")}
      style={{ flex: "1 1 12rem" }}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[
        { value: "", label: t("reaches_all") },
        { group: t("common:clusters"), items: items("cluster", clusters.data) },
        { group: t("common:experiments"), items: items("experiment", experiments.data) },
      ]}
    />
  );
}
