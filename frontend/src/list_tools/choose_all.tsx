import { Checkbox } from "@mantine/core";
import { useTranslation } from "react-i18next";

/** Chooses all that is shown, or none of it. */
export function ChooseAll({
  shown,
  chosen,
  onChoose,
}: {
  shown: readonly string[];
  chosen: readonly string[];
  onChoose: (ids: readonly string[]) => void;
}) {
  const { t } = useTranslation("finding");
  const count = shown.filter((id) => chosen.includes(id)).length;
  const all = count > 0 && count === shown.length;
  return (
    <Checkbox
      aria-label={t("choose_all")}
      label={t("choose_all")}
      classNames={{ labelWrapper: "on-phone" }}
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

/** What is chosen with one more, or one less. */
export function withOrWithout(chosen: readonly string[], id: string, wanted: boolean): string[] {
  const others = chosen.filter((one) => one !== id);
  return wanted ? [...others, id] : others;
}
