import { Text } from "@mantine/core";
import { IconArrowsDiff } from "@tabler/icons-react";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { IMPORT } from "~/api/kinds";
import { BulkFiles } from "~/list_tools/bulk_files";
import { KindSelect } from "~/list_tools/kind_select";
import { type List, listOf } from "~/list_tools/list";
import { ListFilters } from "~/list_tools/list_filters";
import { listQuery } from "~/list_tools/list_search";
import { Listing } from "~/list_tools/listing";
import { SelectionBar } from "~/list_tools/selection_bar";
import { useKnownKind } from "~/list_tools/use_known_kind";
import {
  comparisonKeys,
  comparisonPagesOptions,
  readComparisonExport,
  removeComparison,
  type SavedComparison,
} from "~/queries/comparisons";
import { EmptyState } from "~/ui/empty_state";
import { ButtonLink } from "~/ui/link";
import { Page } from "~/ui/page";
import { useSearchState } from "~/ui/use_search_state";
import { ComparisonTable } from "./comparison_table";

/** `/comparisons`: every comparison that was made, and what can be done with several. */
export function ComparisonsPage() {
  const { t } = useTranslation("comparisons");
  const [said, change] = useSearchState("/inside/comparisons");
  const { names, kind, settled } = useKnownKind(said.kind, IMPORT);
  const search = { ...said, kind };
  const query = useInfiniteQuery({
    ...comparisonPagesOptions({ ...listQuery(search), kind }),
    enabled: settled,
  });
  const list = listOf(query, search, change);
  return (
    <Page
      title={t("list_title")}
      subtitle={<Text c="dimmed">{t("list_text")}</Text>}
      ready={!query.isPending}
      actions={<ButtonLink to="/compare">{t("new_title")}</ButtonLink>}
    >
      {!list.bare && (
        <ListFilters search={search} marked={false} hint={t("words_hint")} onChange={change}>
          <KindSelect label={t("kind")} kinds={names} kind={kind} onChange={change} />
        </ListFilters>
      )}
      <Listing
        list={list}
        empty={
          <EmptyState icon={<IconArrowsDiff size={40} />} title={t("none_yet")}>
            {t("none_yet_text")}
          </EmptyState>
        }
      >
        <ComparisonTable {...list} />
      </Listing>
      <ChosenBar list={list} />
    </Page>
  );
}

function ChosenBar({ list }: { list: List<SavedComparison> }) {
  const { t } = useTranslation("comparisons");
  const client = useQueryClient();
  const names = new Map(list.items.map(({ id, name }) => [id, name]));
  const named = list.chosen.map((id) => ({ id, name: names.get(id) ?? id }));
  return (
    <SelectionBar
      chosen={named}
      onChoose={list.onChoose}
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
