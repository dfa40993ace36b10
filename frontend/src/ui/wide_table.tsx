import { Table } from "@mantine/core";
import type { ReactNode } from "react";

/** A table that scrolls by itself where the page is narrower; reached and scrolled by keyboard. */
export function WideTable({
  caption,
  captionHidden = false,
  minWidth,
  children,
}: {
  caption: string;
  /** For those who see the heading that says the same. */
  captionHidden?: boolean;
  minWidth: number;
  children: ReactNode;
}) {
  return (
    <Table.ScrollContainer
      type="native"
      minWidth={minWidth}
      tabIndex={0}
      role="region"
      aria-label={caption}
    >
      <Table fz="sm" captionSide="top">
        <Table.Caption ta="start" mt={0} className={captionHidden ? "visually-hidden" : undefined}>
          {caption}
        </Table.Caption>
        {children}
      </Table>
    </Table.ScrollContainer>
  );
}
