import { IconPlus, IconServer2 } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { listOf } from "~/list_tools/list";
import { FilterSelect, ListFilters } from "~/list_tools/list_filters";
import { listQuery } from "~/list_tools/list_search";
import { Listing } from "~/list_tools/listing";
import { SelectionBar } from "~/list_tools/selection_bar";
import { useMe } from "~/queries/accounts";
import { clusterPagesOptions, removeCluster } from "~/queries/clusters";
import { EmptyState } from "~/ui/empty_state";
import { ButtonLink } from "~/ui/link";
import { Page } from "~/ui/page";
import { useSearchState } from "~/ui/use_search_state";
import { ClusterTable } from "./cluster_table";
import { type ClustersSearch, PREFLIGHT_STATES, readClustersSearch } from "./search";

/** `/clusters`: every registered cluster, and what can be done with several. */
export function ClustersPage() {
  const { t } = useTranslation(["clusters", "common"]);
  const [search, change] = useSearchState("/inside/clusters");
  const me = useMe();
  const query = useInfiniteQuery(
    clusterPagesOptions({ ...listQuery(search), state: search.state && [search.state] }),
  );
  const list = listOf(query, search, change);
  const known = new Map(list.items.map((one) => [one.id, one]));
  const register = me.may("admin") && (
    <ButtonLink to="/clusters/new" leftSection={<IconPlus size={16} />}>
      {t("register")}
    </ButtonLink>
  );
  return (
    <Page title={t("common:clusters")} actions={!list.bare && register} ready={!query.isPending}>
      {!list.bare && <Filters search={search} onChange={change} />}
      <Listing
        list={list}
        toAll={t("show_all")}
        empty={
          <EmptyState icon={<IconServer2 size={40} />} title={t("empty")} action={register}>
            {me.may("admin") ? t("empty_text") : t("empty_ask_admin")}
          </EmptyState>
        }
      >
        <ClusterTable {...list} />
      </Listing>
      <SelectionBar
        thing="cluster"
        chosen={list.chosen.map((id) => ({ id, name: known.get(id)?.name ?? id }))}
        onChoose={list.onChoose}
        removal={{
          role: "admin",
          title: (count) => t("remove_several", { count }),
          text: t("remove_text"),
          act: (id) => removeCluster(id, known.get(id)?.version),
        }}
      />
    </Page>
  );
}

function Filters({
  search,
  onChange,
}: {
  search: ClustersSearch;
  onChange: (change: Partial<ClustersSearch>) => void;
}) {
  const { t } = useTranslation("clusters");
  const word = useWords();
  return (
    <ListFilters search={search} onChange={onChange}>
      <FilterSelect
        label={t("preflight")}
        value={search.state}
        data={[
          { value: "", label: t("all_preflights") },
          ...PREFLIGHT_STATES.map((state) => ({
            value: state,
            label: word("preflight_state", state),
          })),
        ]}
        onChange={(value) =>
          onChange({ state: undefined, pages: undefined, ...readClustersSearch({ state: value }) })
        }
      />
    </ListFilters>
  );
}
