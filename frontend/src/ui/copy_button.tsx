import { Button } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";

/** Copies a text; says so. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const { t } = useTranslation();
  const clipboard = useClipboard();
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={clipboard.copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
      onClick={() => clipboard.copy(text)}
      aria-live="polite"
    >
      {clipboard.copied ? t("copied") : (label ?? t("copy"))}
    </Button>
  );
}
