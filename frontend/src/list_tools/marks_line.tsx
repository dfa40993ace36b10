import { Button, Group, Text } from "@mantine/core";
import { IconTag } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "~/queries/accounts";
import type { Marks, Thing } from "~/queries/marks";
import { EditMarks } from "./edit_marks";
import { TagList } from "./tag_list";

/** On a thing's own page: its tags and notes, and where to change them. */
export function MarksLine({ thing, id, marks }: { thing: Thing; id: string; marks: Marks }) {
  const { t } = useTranslation("finding");
  const may = useMe().may("operator");
  const [editing, setEditing] = useState(false);
  const bare = marks.tags.length === 0 && marks.notes === "";
  if (bare && !may) return null;
  return (
    <div>
      <Group gap="sm">
        <TagList tags={marks.tags} />
        {may && (
          <Button
            size="compact-sm"
            variant="subtle"
            className="on-screen"
            leftSection={<IconTag size={14} />}
            onClick={() => setEditing(true)}
          >
            {t(bare ? "add_marks" : "edit_marks")}
          </Button>
        )}
      </Group>
      {marks.notes !== "" && (
        <Text size="sm" mt={4} maw="70ch" style={{ whiteSpace: "pre-wrap" }}>
          {marks.notes}
        </Text>
      )}
      {editing && (
        <EditMarks thing={thing} id={id} marks={marks} onClose={() => setEditing(false)} />
      )}
    </div>
  );
}
