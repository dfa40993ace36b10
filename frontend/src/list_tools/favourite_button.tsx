import { ActionIcon } from "@mantine/core";
import { IconStar, IconStarFilled } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { type Thing, useFavourite } from "~/queries/marks";

/** Whether it is a favourite of the user's; pressed, it is one, or one no more. */
export function FavouriteButton({
  thing,
  id,
  name,
  favourite,
}: {
  thing: Thing;
  id: string;
  name: string;
  favourite: boolean;
}) {
  const { t } = useTranslation("finding");
  const change = useFavourite(thing);
  // What was asked for is shown until what came of it is.
  const shown = change.isPending ? change.variables.favourite : favourite;
  const Star = shown ? IconStarFilled : IconStar;
  return (
    <ActionIcon
      variant="subtle"
      color={shown ? "yellow.9" : "gray"}
      aria-pressed={shown}
      aria-label={t("favourite", { name })}
      onClick={() => change.mutate({ id, favourite: !shown })}
    >
      <Star size={18} />
    </ActionIcon>
  );
}
