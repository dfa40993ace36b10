import { Alert, Box, Button, FileButton, Group, List, Stack, Text, Textarea } from "@mantine/core";
import { IconFileUpload, IconFolderUp, IconPlus, IconTrash } from "@tabler/icons-react";
import { type DragEvent, type RefObject, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { LONGEST_TEXT, type PastedLines } from "~/queries/imports";
import {
  chosenFiles,
  droppedFiles,
  type LeftOut,
  MOST_FILES,
  type NamedFile,
  withFiles,
} from "./files";
import { MarkGutter } from "./mark_gutter";
import classes from "./paste_field.module.css";
import { nextName, withText } from "./texts";

export const LINE_PX = 19;
/** From how much of the longest text on its length is shown. */
const NEARLY_FULL = 0.5;

/** Where outputs are pasted, or dropped as files and folders; beside each line is what it is. */
export function PasteField({
  text,
  lines,
  field,
  error,
  onChange,
}: {
  text: string;
  /** What each line is, as far as the text was read. */
  lines: readonly PastedLines[];
  field: RefObject<HTMLTextAreaElement | null>;
  /** Why it cannot be read. */
  error: string | undefined;
  onChange: (text: string) => void;
}) {
  const { t, i18n } = useTranslation("imports");
  const folder = useRef<HTMLInputElement>(null);
  const [scrolled, setScrolled] = useState(0);
  const [over, setOver] = useState(false);
  const [leftOut, setLeftOut] = useState<readonly LeftOut[]>([]);
  const tooLong = text.length > LONGEST_TEXT;
  const number = (value: number) => value.toLocaleString(i18n.language);
  const titled = (count: number) => t("text_number", { number: count });

  async function add(files: readonly NamedFile[]) {
    const added = await withFiles(text, files, titled(1));
    setLeftOut(added.leftOut);
    if (added.text !== text) onChange(added.text);
  }

  function drop(event: DragEvent) {
    setOver(false);
    if (event.dataTransfer.files.length === 0 && event.dataTransfer.items.length === 0) return;
    if (![...event.dataTransfer.items].some(({ kind }) => kind === "file")) return;
    event.preventDefault();
    void droppedFiles(event.dataTransfer).then(add);
  }

  function another() {
    const next = withText(text, nextName(text, titled), "", titled(1));
    onChange(next);
    // Behind the new title, once it is drawn.
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(next.length, next.length);
    });
  }

  return (
    <Stack gap="sm">
      <Group gap="xs">
        <FileButton multiple onChange={(files) => void add(chosenFiles(files))}>
          {(props) => (
            <Button {...props} {...SMALL} leftSection={<IconFileUpload size={14} />}>
              {t("choose_files")}
            </Button>
          )}
        </FileButton>
        <Button
          {...SMALL}
          leftSection={<IconFolderUp size={14} />}
          onClick={() => folder.current?.click()}
        >
          {t("choose_folder")}
        </Button>
        <Button
          {...SMALL}
          leftSection={<IconPlus size={14} />}
          disabled={text.trim() === ""}
          onClick={another}
        >
          {t("another_text")}
        </Button>
        <Button
          {...SMALL}
          leftSection={<IconTrash size={14} />}
          disabled={text === ""}
          onClick={() => {
            setLeftOut([]);
            onChange("");
            field.current?.focus();
          }}
        >
          {t("clear")}
        </Button>
        <input
          ref={folder}
          type="file"
          hidden
          multiple
          // React knows no type of it; browsers take it for a folder.
          {...{ webkitdirectory: "" }}
          data-testid="folder"
          onChange={(event) => {
            const files = chosenFiles(event.currentTarget.files ?? []);
            event.currentTarget.value = "";
            void add(files);
          }}
        />
      </Group>
      <Textarea
        ref={field}
        label={t("outputs")}
        description={t("outputs_text")}
        value={text}
        error={
          tooLong
            ? t("too_long", { length: number(text.length), most: number(LONGEST_TEXT) })
            : error
        }
        onChange={(event) => onChange(event.currentTarget.value)}
        onScroll={(event) => setScrolled(event.currentTarget.scrollTop)}
        placeholder={t("placeholder")}
        // Its lines are never broken, so that nothing has to be measured.
        rows={Math.min(Math.max(lineCount(text, MOST_ROWS), LEAST_ROWS), MOST_ROWS)}
        spellCheck={false}
        autoCapitalize="off"
        autoCorrect="off"
        inputContainer={(children) => (
          <Box
            className={classes.frame}
            mod={{ over }}
            onDragOver={(event) => {
              event.preventDefault();
              setOver(true);
            }}
            onDragLeave={() => setOver(false)}
            onDrop={drop}
          >
            <MarkGutter lines={lines} scrolled={scrolled} />
            {children}
          </Box>
        )}
        styles={{
          input: {
            fontFamily: "var(--mantine-font-family-monospace)",
            fontSize: "0.8125rem",
            lineHeight: `${LINE_PX}px`,
            paddingInlineStart: "3.125rem",
            // A line is refused, not the whole text.
            color: "var(--mantine-color-text)",
            whiteSpace: "pre",
            overflowX: "auto",
          },
        }}
      />
      {text.length > NEARLY_FULL * LONGEST_TEXT && !tooLong && (
        <Text size="xs" c="dimmed">
          {t("length", { length: number(text.length), most: number(LONGEST_TEXT) })}
        </Text>
      )}
      {leftOut.length > 0 && (
        <Alert
          role="alert"
          color="yellow"
          variant="light"
          title={t("left_out", { count: leftOut.length })}
          withCloseButton
          closeButtonLabel={t("close")}
          onClose={() => setLeftOut([])}
        >
          <List size="sm">
            {leftOut.slice(0, SHOWN).map(({ path, why }) => (
              <List.Item key={path} style={{ overflowWrap: "anywhere" }}>
                {path}:{" "}
                {t(`left_out_${why}`, { most: number(why === "many" ? MOST_FILES : LONGEST_TEXT) })}
              </List.Item>
            ))}
          </List>
          {leftOut.length > SHOWN && (
            <Text size="sm">{t("left_out_more", { count: leftOut.length - SHOWN })}</Text>
          )}
        </Alert>
      )}
    </Stack>
  );
}

/** How many lines a text has, of which so many at most are counted. */
function lineCount(text: string, most: number): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at !== -1 && count < most; at = text.indexOf("\n", at + 1)) {
    count += 1;
  }
  return count;
}

const [LEAST_ROWS, MOST_ROWS] = [12, 28] as const;
const SMALL = { size: "xs", variant: "default" } as const;
/** Files that are named of those that were left out. */
const SHOWN = 8;
