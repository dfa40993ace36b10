import { Text } from "@mantine/core";
import { type ReactNode, useId } from "react";
import { ScrollRegion, Table } from "./table";

/** A table that scrolls by itself where the page is narrower; reached and scrolled by keyboard. */
export function WideTable({
  caption,
  captionHidden = false,
  minWidth,
  stacked,
  children,
}: {
  caption: string;
  /** For those who see the heading that says the same. */
  captionHidden?: boolean;
  minWidth: number;
  /** Whether on a phone its rows' cells are stacked instead, so that nothing is scrolled. */
  stacked?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <>
      {/* Outside, so that it stays in sight while the table is scrolled. */}
      <Text id={id} size="sm" c="dimmed" mb={4} className={captionHidden ? "visually-hidden" : ""}>
        {caption}
      </Text>
      <ScrollRegion minWidth={minWidth} role="group" aria-labelledby={id}>
        {/* It scrolls, so words need not be broken to let columns be narrow. */}
        <Table
          fz="sm"
          stacked={stacked}
          aria-labelledby={id}
          style={{ overflowWrap: "break-word" }}
        >
          {children}
        </Table>
      </ScrollRegion>
    </>
  );
}
