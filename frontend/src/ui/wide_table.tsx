import { Text } from "@mantine/core";
import { type KeyboardEvent, type ReactNode, useId } from "react";
import { ScrollRegion, Table } from "./table";

/** A table that scrolls by itself where the page is narrower; reached and scrolled by keyboard. */
export function WideTable({
  caption,
  captionHidden = false,
  minWidth,
  stacked,
  dense,
  children,
}: {
  caption: string;
  /** For those who see the heading that says the same. */
  captionHidden?: boolean;
  minWidth: number;
  /** Whether on a phone its rows' cells are stacked instead, so that nothing is scrolled. */
  stacked?: boolean;
  /** Of a list: a row is one line of 40 px, and arrow keys go from name to name. */
  dense?: boolean;
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
          dense={dense}
          highlightOnHover={dense}
          onKeyDown={dense ? goThroughRows : undefined}
          aria-labelledby={id}
          style={{ overflowWrap: "break-word" }}
        >
          {children}
        </Table>
      </ScrollRegion>
    </>
  );
}

const NAME = "th[scope=row] a";

function goThroughRows(event: KeyboardEvent<HTMLTableElement>) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const names = [...event.currentTarget.querySelectorAll<HTMLElement>(NAME)];
  const at = names.indexOf(document.activeElement as HTMLElement);
  const next = step === undefined || at < 0 ? undefined : names[at + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
