import { Text } from "@mantine/core";
import { type ReactNode, useId } from "react";
import { ScrollRegion, Table } from "./table";

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
  const id = useId();
  return (
    <>
      {/* Outside, so that it stays in sight while the table is scrolled. */}
      <Text id={id} size="sm" c="dimmed" mb={4} className={captionHidden ? "visually-hidden" : ""}>
        {caption}
      </Text>
      <ScrollRegion minWidth={minWidth} role="group" aria-labelledby={id}>
        {/* It scrolls, so words need not be broken to let columns be narrow. */}
        <Table fz="sm" aria-labelledby={id} style={{ overflowWrap: "break-word" }}>
          {children}
        </Table>
      </ScrollRegion>
    </>
  );
}
