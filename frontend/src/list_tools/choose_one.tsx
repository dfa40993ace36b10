import { Checkbox } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Choice } from "./list";

/** Chooses one thing of a list, or not. */
export function ChooseOne({ id, name, chosen, onChoose }: Choice & { id: string; name: string }) {
  const { t } = useTranslation("finding");
  const others = chosen.filter((one) => one !== id);
  return (
    <Checkbox
      checked={chosen.includes(id)}
      onChange={(event) => onChoose(event.currentTarget.checked ? [...others, id] : others)}
      aria-label={t("choose", { name })}
    />
  );
}
