import { Button, Group, Stack, Textarea } from "@mantine/core";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { ProblemError } from "~/api/problem";
import { useMessageText } from "~/i18n/messages";
import { lineSpan, refusedLine } from "./placing";

const LINE_PX = 19;

/** Where outputs are pasted; a line that cannot be read is named, and one click away. */
export function PasteField({
  text,
  error,
  busy,
  may,
  onChange,
  onRecognise,
}: {
  text: string;
  /** Why the text was refused. */
  error: Error | null;
  busy: boolean;
  /** Whether who is here may import. */
  may: boolean;
  onChange: (text: string) => void;
  onRecognise: () => void;
}) {
  const { t } = useTranslation("imports");
  const say = useMessageText();
  const field = useRef<HTMLTextAreaElement>(null);
  const fault = error instanceof ProblemError ? error.byPointer.get("/text") : undefined;
  const line = fault ? refusedLine(fault.message.params) : null;

  function go(to: number) {
    const { current } = field;
    if (current === null) return;
    current.focus();
    current.setSelectionRange(...lineSpan(text, to));
    current.scrollTop = (to - 3) * LINE_PX;
  }

  return (
    <Stack gap="sm">
      <Textarea
        ref={field}
        label={t("outputs")}
        description={t("outputs_text")}
        value={text}
        error={fault && say(fault.message)}
        onChange={(event) => onChange(event.currentTarget.value)}
        minRows={12}
        maxRows={28}
        autosize
        spellCheck={false}
        styles={{
          input: {
            fontFamily: "var(--mantine-font-family-monospace)",
            fontSize: "0.8125rem",
            lineHeight: `${LINE_PX}px`,
            whiteSpace: "pre",
            overflowX: "auto",
          },
        }}
      />
      <Group>
        <Button onClick={onRecognise} loading={busy} disabled={!may || text.trim() === ""}>
          {t("recognise")}
        </Button>
        {line !== null && (
          <Button variant="default" onClick={() => go(line)}>
            {t("to_line", { line })}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
