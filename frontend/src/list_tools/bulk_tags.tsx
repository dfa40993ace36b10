import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { invalidateThings, retag, type Thing } from "~/queries/marks";
import { BulkDialog, type Chosen } from "./bulk_dialog";
import { TagsField } from "./tags_field";

/** Gives everything chosen tags besides its own, and takes others from it. */
export function BulkTags({
  thing,
  chosen,
  onClose,
}: {
  thing: Thing;
  chosen: readonly Chosen[];
  onClose: () => void;
}) {
  const { t } = useTranslation("finding");
  const client = useQueryClient();
  const [more, setMore] = useState<string[]>([]);
  const [fewer, setFewer] = useState<string[]>([]);
  return (
    <BulkDialog
      title={t("tag_title", { count: chosen.length })}
      action={t("tag_chosen")}
      ready={more.length + fewer.length > 0}
      chosen={chosen}
      act={(id) => retag(thing, id, more, fewer)}
      onDone={() => void invalidateThings(client, thing)}
      onClose={onClose}
    >
      <TagsField label={t("tags_more")} value={more} onChange={setMore} />
      <TagsField label={t("tags_fewer")} value={fewer} onChange={setFewer} />
    </BulkDialog>
  );
}
