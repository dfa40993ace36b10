import { Box, type BoxProps } from "@mantine/core";
import { type ComponentProps, type ElementType, type RefObject, useEffect, useRef } from "react";
import classes from "./table.module.css";

type PartProps<Tag extends ElementType> = BoxProps & Omit<ComponentProps<Tag>, keyof BoxProps>;

/** An element that takes Mantine's style properties. */
function part<Tag extends "caption" | "tbody" | "td" | "th" | "thead" | "tr">(tag: Tag) {
  return function Part(props: PartProps<Tag>) {
    return <Box {...(props as PartProps<"td">)} component={tag as "td"} />;
  };
}

interface TableProps extends PartProps<"table"> {
  /** Above and below a cell's content, in pixels. */
  verticalSpacing?: number;
  captionSide?: "top" | "bottom";
  stickyHeader?: boolean;
  highlightOnHover?: boolean;
  withRowBorders?: boolean;
  withColumnBorders?: boolean;
  withTableBorder?: boolean;
  /** Whether on a phone the cells of a row stand below each other, under their headings. */
  stacked?: boolean;
  /** Rows of one line, 40 px high. */
  dense?: boolean;
}

/**
 * A table in the looks of Mantine's, which brings scroll areas and the placing of boxes along:
 * more than all other components of a public page together.
 */
export function Table(props: TableProps) {
  const { verticalSpacing = 7, captionSide = "bottom", withRowBorders = true, ...rest } = props;
  const { stickyHeader, highlightOnHover, withColumnBorders, withTableBorder, ...own } = rest;
  const { stacked = false, dense = false, ...others } = own;
  const table = useRef<HTMLTableElement>(null);
  useEffect(() => {
    if (stacked) void nameColumns(table);
  });
  const looks = [
    classes.table,
    classes[captionSide],
    stacked && classes.stacked,
    dense && classes.dense,
    props.className,
  ];
  return (
    <Box
      ref={table}
      component="table"
      {...others}
      className={looks.filter(Boolean).join(" ")}
      __vars={{ "--rows": `${verticalSpacing}px` }}
      mod={{
        lines: withRowBorders,
        columns: withColumnBorders,
        border: withTableBorder,
        sticky: stickyHeader,
        highlight: highlightOnHover,
      }}
    />
  );
}

/** Loaded with the first table that is stacked: most public pages have none. */
async function nameColumns({ current }: RefObject<HTMLTableElement | null>) {
  const { nameCells } = await import("./column_names");
  if (current) nameCells(current);
}

/** Class of the cells of a column, such as a state or a verdict, that is never scrolled away. */
export const KEPT = classes.kept;

/** Class of a row's header that takes several words. */
export const ABOUT = classes.about;

/** A column's heading, where needed with properties of its cell; `false` leaves the column out. */
type Column = string | false | (PartProps<"th"> & { label: string });

/** The head of a table that has one line of headings. */
function Head({ columns }: { columns: readonly Column[] }) {
  return (
    <Table.Thead>
      <Table.Tr>
        {columns.map((column, place) => {
          if (column === false) return null;
          const { label, ...cell } = typeof column === "string" ? { label: column } : column;
          return (
            // Two columns may have the same heading.
            <Table.Th key={place} scope="col" {...cell}>
              {label}
            </Table.Th>
          );
        })}
      </Table.Tr>
    </Table.Thead>
  );
}

Table.Caption = part("caption");
Table.Head = Head;
Table.Thead = part("thead");
Table.Tbody = part("tbody");
Table.Tr = part("tr");
Table.Th = part("th");
Table.Td = part("td");

interface ScrollRegionProps extends PartProps<"div"> {
  /** Of what is in it, in pixels. */
  minWidth: number;
}

/** What is wider than the page scrolls by itself: reached by the keyboard; give it a name. */
export function ScrollRegion({ minWidth, ...rest }: ScrollRegionProps) {
  return (
    <Box
      role="region"
      tabIndex={0}
      {...rest}
      className={classes.region}
      mod={{ tall: rest.mah !== undefined }}
      __vars={{ "--min-width": `${minWidth}px` }}
    />
  );
}
