import { Stack, Text } from "@mantine/core";
import { IconArrowsDiff } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { IMPORT } from "~/api/kinds";
import type { Schemas } from "~/api/types";
import { useWords } from "~/i18n/words";
import { BulkFiles } from "~/list_tools/bulk_files";
import { FilterSelect, ListFilters } from "~/list_tools/list_filters";
import { ListFoot } from "~/list_tools/list_foot";
import { isNarrowed, listQuery } from "~/list_tools/list_search";
import { NoneMatch } from "~/list_tools/none_match";
import { SelectionBar } from "~/list_tools/selection_bar";
import {
  comparisonKeys,
  comparisonPagesOptions,
  readComparisonExport,
  removeComparison,
  type SavedComparison,
} from "~/queries/comparisons";
import { kindsOptions } from "~/queries/kinds";
import { EmptyState } from "~/ui/empty_state";
import { ButtonLink } from "~/ui/link";
import { Loaded } from "~/ui/loaded";
import { Page } from "~/ui/page";
import { useSearchState } from "~/ui/use_search_state";
import { ComparisonTable } from "./comparison_table";
import { type ComparisonsSearch, readComparisonsSearch } from "./search";

/** `/comparisons`: every comparison that was made, and what can be done with several. */
export function ComparisonsPage() {
  const { t } = useTranslation(["comparisons", "finding"]);
  const [search, change] = useSearchState("/inside/comparisons");
  const { chosen = [] } = search;
  const kinds = useQuery(kindsOptions);
  const names: readonly Schemas["KindName"][] = [
    ...(kinds.data ?? []).map(({ name }) => name),
    IMPORT,
  ];
  // A kind that the server does not know narrows nothing.
  const kind = names.find((name) => name === search.kind);
  const query = useInfiniteQuery({
    ...comparisonPagesOptions({ ...listQuery(search), kind }),
    enabled: search.kind === undefined || !kinds.isPending,
  });
  const rows = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const none = query.data !== undefined && rows.length === 0;
  const bare = none && !isNarrowed({ ...search, kind });
  const choose = (ids: readonly string[]) =>
    change({ chosen: ids.length > 0 ? [...ids] : undefined });
  return (
    <Page
      title={t("list_title")}
      subtitle={<Text c="dimmed">{t("list_text")}</Text>}
      ready={!query.isPending}
      actions={<ButtonLink to="/compare">{t("new_title")}</ButtonLink>}
    >
      {!bare && <Filters search={{ ...search, kind }} kinds={names} onChange={change} />}
      <Loaded query={query}>
        {() =>
          bare ? (
            <EmptyState icon={<IconArrowsDiff size={40} />} title={t("none_yet")}>
              {t("none_yet_text")}
            </EmptyState>
          ) : none ? (
            <NoneMatch>
              <ButtonLink to="/comparisons" search={{}} variant="default">
                {t("finding:show_all")}
              </ButtonLink>
            </NoneMatch>
          ) : (
            <Stack gap="sm">
              <ComparisonTable
                comparisons={rows}
                chosen={chosen}
                onChoose={choose}
                search={search}
                onSort={change}
              />
              <ListFoot query={query} pages={search.pages} onPages={(pages) => change({ pages })} />
            </Stack>
          )
        }
      </Loaded>
      <ChosenBar chosen={chosen} shown={rows} onChoose={choose} />
    </Page>
  );
}

function Filters({
  search,
  kinds,
  onChange,
}: {
  search: ComparisonsSearch;
  kinds: readonly string[];
  onChange: (change: Partial<ComparisonsSearch>) => void;
}) {
  const { t } = useTranslation(["comparisons", "finding"]);
  const word = useWords();
  return (
    <ListFilters search={search} marked={false} hint={t("words_hint")} onChange={onChange}>
      <FilterSelect
        label={t("kind")}
        value={search.kind}
        data={[
          { value: "", label: t("finding:all_kinds") },
          ...kinds.map((name) => ({ value: name, label: word("kind", name) })),
        ]}
        onChange={(value) =>
          onChange({ kind: undefined, pages: undefined, ...readComparisonsSearch({ kind: value }) })
        }
      />
    </ListFilters>
  );
}

function ChosenBar({
  chosen,
  shown,
  onChoose,
}: {
  chosen: readonly string[];
  shown: readonly SavedComparison[];
  onChoose: (ids: readonly string[]) => void;
}) {
  const { t } = useTranslation("comparisons");
  const client = useQueryClient();
  const names = new Map(shown.map(({ id, name }) => [id, name]));
  const named = chosen.map((id) => ({ id, name: names.get(id) ?? id }));
  return (
    <SelectionBar
      chosen={named}
      onChoose={onChoose}
      removal={{
        // Who made it may, whatever they are.
        role: "viewer",
        title: (count) => t("ask_delete_several", { count }),
        text: t("ask_delete_several_text"),
        act: removeComparison,
        onGone: () => client.invalidateQueries({ queryKey: comparisonKeys.all }),
      }}
      exporting={(onClose) => (
        <BulkFiles
          chosen={named}
          archive="podmeter-comparisons.zip"
          read={readComparisonExport}
          onClose={onClose}
        />
      )}
    />
  );
}
