import { useTranslation } from "react-i18next";
import { fileNameOf } from "~/charts/exports/download";
import { BulkExport } from "~/list_tools/bulk_export";
import type { List } from "~/list_tools/list";
import { SelectionBar } from "~/list_tools/selection_bar";
import { type ListedExperiment, readExperiment, removeExperiment } from "~/queries/experiments";
import type { Kind } from "~/queries/kinds";
import { textOf } from "./spec_text";
import { forgetText } from "./written_text";

/** What can be done with the chosen experiments. */
export function ChosenBar({ list, kinds }: { list: List<ListedExperiment>; kinds: Kind[] }) {
  const { t } = useTranslation("experiments");
  const known = new Map(list.items.map((one) => [one.id, one]));
  const named = list.chosen.map((id) => ({ id, name: known.get(id)?.name ?? id }));
  return (
    <SelectionBar
      thing="experiment"
      chosen={named}
      onChoose={list.onChoose}
      removal={{
        role: "operator",
        title: (count) => t("delete_several", { count }),
        text: t("delete_several_text"),
        act: async (id) => {
          await removeExperiment(id, known.get(id)?.version);
          forgetText(id);
        },
      }}
      exporting={(onClose) => (
        <BulkExport
          chosen={named}
          archive="podmeter-experiments.zip"
          read={async (id) => {
            const experiment = await readExperiment(id);
            return {
              name: `${fileNameOf(experiment.name)}.yaml`,
              text: textOf(experiment, kinds),
            };
          }}
          onClose={onClose}
        />
      )}
    />
  );
}
