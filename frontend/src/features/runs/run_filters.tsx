import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { useWords } from "~/i18n/words";
import { KindSelect } from "~/list_tools/kind_select";
import { FilterSelect, ListFilters } from "~/list_tools/list_filters";
import { clustersOptions } from "~/queries/clusters";
import { LabelField } from "./label_field";
import { OUTCOMES, type RunsSearch, readRunsSearch, STATES } from "./search";

/** What `GET /runs` can narrow the list to. */
export function RunFilters({
  search,
  kinds,
  onChange,
}: {
  search: RunsSearch;
  kinds: readonly Schemas["KindName"][];
  onChange: (change: Partial<RunsSearch>) => void;
}) {
  const { t } = useTranslation("runs");
  const word = useWords();
  const clusters = useQuery(clustersOptions);
  const names = (clusters.data ?? []).map((one) => ({ value: one.id, label: one.name }));
  if (search.cluster && !names.some((one) => one.value === search.cluster)) {
    names.push({ value: search.cluster, label: t("that_cluster") });
  }
  const select = (
    field: "state" | "outcome" | "cluster",
    all: string,
    data: { value: string; label: string }[],
  ) => (
    <FilterSelect
      label={t(`filter_${field}`)}
      value={search[field]}
      data={[{ value: "", label: all }, ...data]}
      onChange={(value) =>
        onChange({ [field]: undefined, pages: undefined, ...readRunsSearch({ [field]: value }) })
      }
    />
  );
  return (
    <ListFilters search={search} onChange={onChange}>
      {select(
        "state",
        t("all_states"),
        STATES.map((state) => ({ value: state, label: word("run_state", state) })),
      )}
      {select(
        "outcome",
        t("all_outcomes"),
        OUTCOMES.map((outcome) => ({ value: outcome, label: word("outcome", outcome) })),
      )}
      <KindSelect label={t("filter_kind")} kinds={kinds} kind={search.kind} onChange={onChange} />
      {select("cluster", t("all_clusters"), names)}
      <LabelField
        value={search.label}
        onChange={(label) => onChange({ label, pages: undefined })}
      />
    </ListFilters>
  );
}
