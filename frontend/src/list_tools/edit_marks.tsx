import { Button, Group, Modal, Stack, Textarea } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Marks, type Thing, useChangeMarks } from "~/queries/marks";
import { ProblemAlert } from "~/ui/problem_alert";
import { TagsField } from "./tags_field";

/** Changes tags and notes as they stood when it was opened; says so where somebody was first. */
export function EditMarks({
  thing,
  id,
  marks,
  onClose,
}: {
  thing: Thing;
  id: string;
  marks: Marks;
  onClose: () => void;
}) {
  const { t } = useTranslation(["finding", "common"]);
  const [opened] = useState(marks);
  const [tags, setTags] = useState(marks.tags);
  const [notes, setNotes] = useState(marks.notes);
  const change = useChangeMarks(thing, id);
  function save(event: FormEvent) {
    event.preventDefault();
    change.mutate({ marks: opened, tags, notes }, { onSuccess: onClose });
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("edit_marks")}
      closeButtonProps={{ "aria-label": t("common:close") }}
    >
      <form onSubmit={save}>
        <Stack>
          <TagsField
            label={t("tags")}
            description={t("tags_hint")}
            value={tags}
            onChange={setTags}
          />
          <Textarea
            label={t("notes")}
            description={t("notes_hint")}
            autosize
            minRows={3}
            maxRows={12}
            maxLength={4000}
            value={notes}
            onChange={(event) => setNotes(event.currentTarget.value)}
          />
          {change.error && <ProblemAlert error={change.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t("common:cancel")}
            </Button>
            <Button type="submit" loading={change.isPending}>
              {t("common:save")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
