import { NativeSelect } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { fileNameOf } from "~/charts/exports/download";
import type { Chosen } from "./bulk_dialog";
import { BulkExport } from "./bulk_export";

const FORMATS = {
  json: { label: "JSON", ending: "json" },
  csv: { label: "CSV", ending: "csv" },
  markdown: { label: "Markdown", ending: "md" },
} as const satisfies Partial<Record<Schemas["Format"], object>>;
type Format = keyof typeof FORMATS;

/** Puts the exports of everything chosen into one archive, in a format of choice. */
export function BulkFiles({
  chosen,
  archive,
  read,
  onClose,
}: {
  chosen: readonly Chosen[];
  archive: string;
  read: (id: string, format: Format) => Promise<string>;
  onClose: () => void;
}) {
  const { t } = useTranslation("finding");
  const [format, setFormat] = useState<Format>("json");
  const names = new Map(chosen.map(({ id, name }) => [id, name]));
  return (
    <BulkExport
      chosen={chosen}
      archive={archive}
      read={async (id) => ({
        name: `${fileNameOf(names.get(id) ?? id)}.${FORMATS[format].ending}`,
        text: await read(id, format),
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
  );
}
