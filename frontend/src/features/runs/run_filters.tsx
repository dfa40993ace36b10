import { Group, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { clusterNamesOptions, type Filters } from "./queries";
import { KINDS, type RunsSearch, readRunsSearch, STATES } from "./search";

/** What `GET /runs` can narrow the list to. */
export function RunFilters({
  filters,
  onChange,
}: {
  filters: Filters;
  onChange: (change: Partial<RunsSearch>) => void;
}) {
  const { t } = useTranslation("runs");
  const word = useWords();
  const clusters = useQuery(clusterNamesOptions);
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
        KINDS.map((kind) => ({ value: kind, label: word("kind", kind) })),
      )}
      {select("cluster", t("all_clusters"), names)}
    </Group>
  );
}
