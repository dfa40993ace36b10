import { Checkbox } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Choice } from "./list";

/** Chooses all that is shown, or none of it. */
export function ChooseAll({ shown, chosen, onChoose }: Choice & { shown: readonly string[] }) {
  const { t } = useTranslation("finding");
  const count = shown.filter((id) => chosen.includes(id)).length;
  const all = count > 0 && count === shown.length;
  return (
    <Checkbox
      aria-label={t("choose_all")}
      label={t("choose_all")}
      classNames={{ labelWrapper: "on-phone" }}
      styles={{ label: { whiteSpace: "nowrap" } }}
      checked={all}
      indeterminate={count > 0 && !all}
      onChange={() =>
        onChoose(
          all
            ? chosen.filter((id) => !shown.includes(id))
            : [...chosen, ...shown.filter((id) => !chosen.includes(id))],
        )
      }
    />
  );
}
