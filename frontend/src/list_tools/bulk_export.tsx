import { type ReactNode, useRef } from "react";
import { useTranslation } from "react-i18next";
import { download } from "~/charts/exports/download";
import { BulkDialog, type Chosen } from "./bulk_dialog";
import { type File, zip } from "./zip";

/** Puts a file of each selected item into one archive; unreadable ones are reported and left out. */
export function BulkExport({
  chosen,
  read,
  archive,
  onClose,
  children,
}: {
  chosen: readonly Chosen[];
  read: (id: string) => Promise<File>;
  /** The archive's name. */
  archive: string;
  onClose: () => void;
  children?: ReactNode;
}) {
  const { t } = useTranslation("finding");
  const files = useRef<File[]>([]);
  return (
    <BulkDialog
      title={t("export_title", { count: chosen.length })}
      action={t("export_chosen")}
      chosen={chosen}
      act={async (id) => void files.current.push(await read(id))}
      onDone={() => {
        if (files.current.length > 0) download(archive, zip(files.current));
      }}
      onClose={onClose}
    >
      {children}
    </BulkDialog>
  );
}
