import { Group, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { clustersOptions } from "~/queries/clusters";
import type { Kind } from "~/queries/kinds";
import { type Filters, type RunsSearch, readRunsSearch, STATES } from "./search";

/** What `GET /runs` can narrow the list to. */
export function RunFilters({
  filters,
  kinds,
  onChange,
}: {
  filters: Filters;
  /** Those of the server. */
  kinds: readonly Kind[];
  onChange: (change: Partial<RunsSearch>) => void;
}) {
  const { t } = useTranslation("runs");
  const word = useWords();
  const clusters = useQuery(clustersOptions);
  const names = (clusters.data ?? []).map((one) => ({ value: one.id, label: one.name }));
  if (filters.cluster && !names.some((one) => one.value === filters.cluster)) {
    names.push({ value: filters.cluster, label: t("that_cluster") });
  }
  const select = (
    field: "state" | "kind" | "cluster",
    all: string,
    data: { value: string; label: string }[],
  ) => (
    <NativeSelect
      label={t(`filter_${field}`)}
      value={filters[field] ?? ""}
      onChange={(event) => {
        const { value } = event.currentTarget;
        onChange({ [field]: undefined, ...readRunsSearch({ [field]: value }) });
      }}
      data={[{ value: "", label: all }, ...data]}
      style={{ flex: "1 1 10rem", maxWidth: "16rem" }}
    />
  );
  return (
    <Group component="search" gap="sm" align="flex-end" aria-label={t("filters")}>
      {select(
        "state",
        t("all_states"),
        STATES.map((state) => ({ value: state, label: word("run_state", state) })),
      )}
      {select(
        "kind",
        t("all_kinds"),
        kinds.map(({ name }) => ({ value: name, label: word("kind", name) })),
      )}
      {select("cluster", t("all_clusters"), names)}
    </Group>
  );
}
