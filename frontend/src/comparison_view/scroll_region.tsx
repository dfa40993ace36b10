import { Table } from "@mantine/core";
import type { ReactNode } from "react";

/** A table that scrolls by itself: reachable by the keyboard, with a name. */
export function ScrollRegion({
  minWidth,
  maxHeight,
  label,
  children,
}: {
  minWidth: number;
  maxHeight?: string;
  label: string;
  children: ReactNode;
}) {
  return (
    <Table.ScrollContainer
      type="native"
      minWidth={minWidth}
      maxHeight={maxHeight}
      role="region"
      aria-label={label}
      tabIndex={0}
    >
      {children}
    </Table.ScrollContainer>
  );
}
