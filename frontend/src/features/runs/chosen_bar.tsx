import { NativeSelect } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { fileNameOf } from "~/charts/exports/download";
import { BulkExport } from "~/finding/bulk_export";
import { SelectionBar } from "~/finding/selection_bar";
import { readExport, removeRun } from "~/queries/runs";
import { ButtonLink } from "~/ui/link";

const FORMATS = {
  json: { label: "JSON", ending: "json" },
  csv: { label: "CSV", ending: "csv" },
  markdown: { label: "Markdown", ending: "md" },
} as const;
type Format = keyof typeof FORMATS;

/** What can be done with the chosen runs; compared, the one chosen first is the baseline. */
export function ChosenBar({
  chosen,
  names,
  onChoose,
}: {
  chosen: readonly string[];
  names: ReadonlyMap<string, string>;
  onChoose: (ids: string[]) => void;
}) {
  const { t } = useTranslation("runs");
  const [format, setFormat] = useState<Format>("json");
  const [baseline, ...contenders] = chosen;
  const named = chosen.map((id) => ({ id, name: names.get(id) ?? id }));
  return (
    <SelectionBar
      thing="run"
      chosen={named}
      onChoose={onChoose}
      removal={{
        role: "operator",
        title: t("ask_delete_several", { count: chosen.length }),
        text: t("ask_delete_several_text"),
        act: removeRun,
      }}
      exporting={(onClose) => (
        <BulkExport
          chosen={named}
          archive="podmeter-runs.zip"
          read={async (id) => ({
            name: `${fileNameOf(names.get(id) ?? id)}.${FORMATS[format].ending}`,
            text: await readExport(id, format),
          })}
          onClose={onClose}
        >
          <NativeSelect
            label={t("format")}
            value={format}
            onChange={(event) => setFormat(event.currentTarget.value as Format)}
            data={Object.entries(FORMATS).map(([value, { label }]) => ({ value, label }))}
          />
        </BulkExport>
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
