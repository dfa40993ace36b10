import type { CSSProperties } from "react";

/**
 * Cells of long tables are plain elements: hundreds of components with styles of their own take
 * longer to draw than a reader who turns a page should wait.
 */
export const CELL: CSSProperties = {
  padding: "6px 10px",
  borderTop: "1px solid var(--mantine-color-default-border)",
  textAlign: "start",
  fontWeight: 400,
  verticalAlign: "top",
};

export const NUMBER_CELL: CSSProperties = { ...CELL, textAlign: "end", whiteSpace: "nowrap" };
