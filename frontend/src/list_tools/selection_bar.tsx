import { Button, Group, Paper, Text } from "@mantine/core";
import { IconDownload, IconTag, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Role } from "~/queries/accounts";
import { useMe } from "~/queries/accounts";
import type { Thing } from "~/queries/marks";
import { invalidateThings } from "~/queries/marks";
import { BulkDialog, type Chosen } from "./bulk_dialog";
import { BulkTags } from "./bulk_tags";
import type { Results } from "./use_bulk";

interface Removal {
  /** Who may. */
  role: Role;
  /** Asks about so many. */
  title: (count: number) => string;
  text: string;
  act: (id: string) => Promise<void>;
  /** What the button says, where things are not deleted. */
  action?: string;
  /** Reads again what shows them, where they have no tags. */
  onGone?: () => Promise<void>;
}

/** What several things of a list were chosen for; sticks to the window's end. */
export function SelectionBar({
  thing,
  chosen,
  onChoose,
  removal,
  exporting,
  text,
  children,
}: {
  /** What can be tagged; other things cannot. */
  thing?: Thing;
  chosen: readonly Chosen[];
  /** What is chosen from now on. */
  onChoose: (ids: string[]) => void;
  removal: Removal;
  /** The dialog that exports, where these things can be. */
  exporting?: (onClose: () => void) => ReactNode;
  /** Besides how many there are. */
  text?: string;
  /** What else can be done with them. */
  children?: ReactNode;
}) {
  const { t } = useTranslation(["finding", "common"]);
  const me = useMe();
  const client = useQueryClient();
  const [asked, setAsked] = useState<"remove" | "tag" | "export" | null>(null);
  // What is chosen changes while the dialog still tells of it.
  const [about, setAbout] = useState(chosen);
  if (chosen.length === 0 && asked === null) return null;

  const ask = (what: typeof asked) => {
    setAbout(chosen);
    setAsked(what);
  };
  const close = () => setAsked(null);
  const removed = async (results: Results) => {
    const gone = [...results].filter(([, error]) => error === null).map(([id]) => id);
    onChoose(chosen.map(({ id }) => id).filter((id) => !gone.includes(id)));
    if (thing) await invalidateThings(client, thing);
    await removal.onGone?.();
  };
  const remove = removal.action ?? t("common:delete");
  return (
    <>
      {chosen.length > 0 && (
        <Paper
          component="section"
          withBorder
          shadow="md"
          p="sm"
          aria-label={t("chosen_region")}
          style={{ position: "sticky", bottom: "var(--mantine-spacing-md)", zIndex: 5 }}
        >
          <Group justify="space-between" gap="sm">
            <Text size="sm" aria-live="polite" style={{ flex: "1 1 12rem" }}>
              {t("chosen_count", { count: chosen.length })} {text}
            </Text>
            <Group gap="xs">
              <Button variant="default" onClick={() => onChoose([])}>
                {t("clear_choice")}
              </Button>
              {thing && me.may("operator") && (
                <Button
                  variant="default"
                  leftSection={<IconTag size={16} />}
                  onClick={() => ask("tag")}
                >
                  {t("tag_chosen")}
                </Button>
              )}
              {exporting && (
                <Button
                  variant="default"
                  leftSection={<IconDownload size={16} />}
                  onClick={() => ask("export")}
                >
                  {t("export_chosen")}
                </Button>
              )}
              {me.may(removal.role) && (
                <Button
                  variant="default"
                  c="var(--mantine-color-error)"
                  leftSection={<IconTrash size={16} />}
                  onClick={() => ask("remove")}
                >
                  {remove}
                </Button>
              )}
              {children}
            </Group>
          </Group>
        </Paper>
      )}
      {asked === "remove" && (
        <BulkDialog
          title={removal.title(about.length)}
          text={removal.text}
          action={remove}
          color="red"
          chosen={about}
          act={removal.act}
          onDone={(results) => void removed(results)}
          onClose={close}
        />
      )}
      {thing && asked === "tag" && <BulkTags thing={thing} chosen={about} onClose={close} />}
      {asked === "export" && exporting?.(close)}
    </>
  );
}
