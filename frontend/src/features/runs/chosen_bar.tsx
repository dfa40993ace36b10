import { useTranslation } from "react-i18next";
import { BulkFiles } from "~/list_tools/bulk_files";
import type { List } from "~/list_tools/list";
import { SelectionBar } from "~/list_tools/selection_bar";
import { type Run, readExport, removeRun } from "~/queries/runs";
import { ButtonLink } from "~/ui/link";

/** What can be done with the chosen runs; compared, the one chosen first is the baseline. */
export function ChosenBar({ list }: { list: List<Run> }) {
  const { t } = useTranslation("runs");
  const [baseline, ...contenders] = list.chosen;
  const names = new Map(list.items.map((run) => [run.id, run.name]));
  const named = list.chosen.map((id) => ({ id, name: names.get(id) ?? id }));
  return (
    <SelectionBar
      thing="run"
      chosen={named}
      onChoose={list.onChoose}
      removal={{
        role: "operator",
        title: (count) => t("ask_delete_several", { count }),
        text: t("ask_delete_several_text"),
        act: removeRun,
      }}
      exporting={(onClose) => (
        <BulkFiles chosen={named} archive="podmeter-runs.zip" read={readExport} onClose={onClose} />
      )}
      text={
        baseline === undefined || contenders.length === 0
          ? t("choose_another")
          : t("baseline_is", { name: names.get(baseline) ?? baseline })
      }
    >
      {baseline !== undefined && contenders.length > 0 && (
        <ButtonLink
          to="/compare"
          search={{
            baseline: { run: baseline },
            contenders: contenders.map((run) => ({ run })),
          }}
        >
          {t("compare_chosen")}
        </ButtonLink>
      )}
    </SelectionBar>
  );
}
