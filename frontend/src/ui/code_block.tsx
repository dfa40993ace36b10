import { Box, Code, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { CopyButton } from "./copy_button";

/** Commands or a document, to read and to copy; a long one scrolls inside. */
export function CodeBlock({
  text,
  label,
  maxHeight,
  actions,
}: {
  text: string;
  /** What it is, for those who do not see it. */
  label: string;
  maxHeight?: number;
  /** Beside the copy button. */
  actions?: ReactNode;
}) {
  return (
    <Box>
      <Box
        role="group"
        tabIndex={0}
        aria-label={label}
        style={{ maxHeight, overflow: "auto", borderRadius: "var(--mantine-radius-md)" }}
      >
        <Code block style={{ overflow: "visible", width: "max-content", minWidth: "100%" }}>
          {text}
        </Code>
      </Box>
      <Group gap="xs" mt="xs" className="on-screen">
        <CopyButton text={text} />
        {actions}
      </Group>
    </Box>
  );
}
