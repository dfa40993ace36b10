import { Group } from "@mantine/core";
import type { ReactNode } from "react";
import type { Marks, Thing } from "~/queries/marks";
import { FavouriteButton } from "./favourite_button";
import { TagList } from "./tag_list";

/** In a list: a thing's name, which links to it, between its star and its tags. */
export function MarkedName({
  thing,
  of,
  children,
  after,
}: {
  thing: Thing;
  of: { id: string; name: string; marks: Marks };
  /** The link. */
  children: ReactNode;
  /** Follows the tags. */
  after?: ReactNode;
}) {
  return (
    <Group gap={4} wrap="nowrap">
      <FavouriteButton thing={thing} id={of.id} name={of.name} favourite={of.marks.favourite} />
      {children}
      <TagList tags={of.marks.tags} />
      {after}
    </Group>
  );
}
