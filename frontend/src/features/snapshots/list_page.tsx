import { Anchor, Text } from "@mantine/core";
import { IconCamera } from "@tabler/icons-react";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { listOf } from "~/list_tools/list";
import { FilterSelect, ListFilters } from "~/list_tools/list_filters";
import { listQuery } from "~/list_tools/list_search";
import { Listing } from "~/list_tools/listing";
import { SelectionBar } from "~/list_tools/selection_bar";
import { revoke, SUBJECTS, snapshotKeys, snapshotPagesOptions } from "~/queries/snapshots";
import { EmptyState } from "~/ui/empty_state";
import { Page } from "~/ui/page";
import { useSearchState } from "~/ui/use_search_state";
import { readSnapshotsSearch, type SnapshotsSearch, subjectOf } from "./search";
import { ShareDialog } from "./share_dialog";
import { SnapshotTable } from "./snapshot_table";

/** Everything that is public, and the dialog that makes something so. */
export function SnapshotsPage() {
  const { t } = useTranslation("snapshots");
  const [{ share, ...search }, change] = useSearchState("/inside/snapshots");
  const client = useQueryClient();
  const query = useInfiniteQuery(
    snapshotPagesOptions({
      ...listQuery(search),
      subject: search.of,
      live: search.state && search.state === "public",
    }),
  );
  const list = listOf(query, search, change);
  const subject = subjectOf(share);
  const titles = new Map(list.items.map(({ id, title }) => [id, title]));
  return (
    <Page
      title={t("title")}
      subtitle={<Text c="dimmed">{t("subtitle")}</Text>}
      ready={!query.isPending}
    >
      {subject && (
        <ShareDialog key={share} subject={subject} onClose={() => change({ share: undefined })} />
      )}
      {!list.bare && <Filters search={search} onChange={change} />}
      <Listing
        list={list}
        empty={
          <EmptyState
            icon={<IconCamera size={40} />}
            title={t("empty")}
            action={
              <Anchor component={Link} to="/runs">
                {t("to_runs")}
              </Anchor>
            }
          >
            {t("empty_text")}
          </EmptyState>
        }
      >
        <SnapshotTable {...list} />
      </Listing>
      <SelectionBar
        chosen={list.chosen.map((id) => ({ id, name: titles.get(id) ?? id }))}
        onChoose={list.onChoose}
        removal={{
          role: "operator",
          action: t("revoke"),
          title: (count) => t("ask_revoke_several", { count }),
          text: t("ask_revoke_several_text"),
          act: revoke,
          onGone: () => client.invalidateQueries({ queryKey: snapshotKeys.lists() }),
        }}
      />
    </Page>
  );
}

function Filters({
  search,
  onChange,
}: {
  search: SnapshotsSearch;
  onChange: (change: Partial<SnapshotsSearch>) => void;
}) {
  const { t } = useTranslation("snapshots");
  const select = (field: "of" | "state", all: string, data: { value: string; label: string }[]) => (
    <FilterSelect
      label={t(field === "of" ? "what" : "state")}
      value={search[field]}
      data={[{ value: "", label: all }, ...data]}
      onChange={(value) =>
        onChange({
          [field]: undefined,
          pages: undefined,
          ...readSnapshotsSearch({ [field]: value }),
        })
      }
    />
  );
  return (
    <ListFilters search={search} marked={false} hint={t("words_hint")} onChange={onChange}>
      {select(
        "of",
        t("all_subjects"),
        SUBJECTS.map((value) => ({ value, label: t(`subject.${value}`) })),
      )}
      {select("state", t("all_states"), [
        { value: "public", label: t("public") },
        { value: "ended", label: t("ended") },
      ])}
    </ListFilters>
  );
}
