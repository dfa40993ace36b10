import { Box, Button, FileButton, Group, Select, Stack, Text, Textarea } from "@mantine/core";
import { IconFileUpload } from "@tabler/icons-react";
import { type DragEvent, useId, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Fault } from "~/api/problem";
import { type Contexts, contextsOf } from "./kubeconfig_contexts";

/** A kubeconfig being given and the context picked of it; only ever in memory. */
export interface KubeconfigDraft {
  kubeconfig: string;
  context: string | null;
}

export const NO_KUBECONFIG: KubeconfigDraft = { kubeconfig: "", context: null };

/** The API's own limit. */
const MOST_BYTES = 256 * 1024;

/** The context to send: the one picked, else the file's current one, where there are several. */
export function contextToSend({ kubeconfig, context }: KubeconfigDraft): string | null {
  return chosen(contextsOf(kubeconfig), context);
}

function chosen({ names, current }: Contexts, picked: string | null): string | null {
  if (names.length < 2) return null;
  return names.find((name) => name === picked) ?? current;
}

/** Paste, drop or choose a kubeconfig, and pick its context where it has several. */
export function KubeconfigField({
  draft,
  onChange,
  faults,
}: {
  draft: KubeconfigDraft;
  onChange: (draft: KubeconfigDraft) => void;
  faults: Fault[];
}) {
  const { t } = useTranslation("clusters");
  const [over, setOver] = useState(false);
  const [tooLarge, setTooLarge] = useState(false);
  const contexts = useMemo(() => contextsOf(draft.kubeconfig), [draft.kubeconfig]);
  const errorId = useId();

  async function read(file: File | null | undefined) {
    if (!file) return;
    setTooLarge(file.size > MOST_BYTES);
    if (file.size <= MOST_BYTES) onChange({ kubeconfig: await file.text(), context: null });
  }

  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    void read(event.dataTransfer.files[0]);
  }

  const context = faults.filter((fault) => fault.pointer === "/context");
  const rest = faults.filter((fault) => fault.pointer === "/kubeconfig");
  const wrong = rest.length > 0 || tooLarge;
  return (
    <Stack gap="sm">
      <Box
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        style={{
          outline: over ? "2px dashed var(--mantine-primary-color-filled)" : undefined,
          outlineOffset: 4,
          borderRadius: "var(--mantine-radius-md)",
        }}
      >
        <Textarea
          label={t("kubeconfig")}
          description={t("kubeconfig_text")}
          required
          // Nobody but this page gets to see it: no restoring after a reload, no spelling service.
          autoComplete="off"
          autoCorrect="off"
          autoCapitalize="off"
          spellCheck={false}
          minRows={8}
          maxRows={16}
          autosize
          placeholder={PLACEHOLDER}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
          error={wrong}
          aria-describedby={wrong ? errorId : undefined}
          value={draft.kubeconfig}
          onChange={(event) => {
            setTooLarge(false);
            onChange({ ...draft, kubeconfig: event.currentTarget.value });
          }}
        />
      </Box>
      {wrong && (
        <Stack id={errorId} gap={6} role="alert">
          {tooLarge && (
            <Text size="sm" c="var(--mantine-color-error)">
              {t("kubeconfig_too_large")}
            </Text>
          )}
          <Faults faults={rest} />
        </Stack>
      )}
      <Group gap="sm">
        <FileButton onChange={read}>
          {(props) => (
            <Button
              {...props}
              size="xs"
              variant="default"
              leftSection={<IconFileUpload size={14} />}
            >
              {t("choose_file")}
            </Button>
          )}
        </FileButton>
        <Text size="sm" c="dimmed">
          {t("or_drop")}
        </Text>
      </Group>
      {contexts.names.length > 1 && (
        <Select
          label={t("context")}
          description={t("context_text", { count: contexts.names.length })}
          required
          allowDeselect={false}
          searchable={contexts.names.length > 8}
          data={contexts.names}
          value={chosen(contexts, draft.context)}
          onChange={(picked) => onChange({ ...draft, context: picked })}
          error={context.length > 0 && context.map((fault) => fault.message.text).join(" ")}
        />
      )}
    </Stack>
  );
}

/** Where, what, and how to fix it. */
function Faults({ faults }: { faults: Fault[] }) {
  return faults.map((fault) => (
    <div key={fault.detail}>
      <Text size="sm" c="var(--mantine-color-error)">
        {fault.message.text}
      </Text>
      {fault.mend && <Text size="sm">{fault.mend.text}</Text>}
    </div>
  ));
}

const PLACEHOLDER = "apiVersion: v1\nkind: Config\nclusters: …";
