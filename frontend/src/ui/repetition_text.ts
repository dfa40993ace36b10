import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";

type Changes = Pick<Schemas["NextRun"], "rounds" | "seconds" | "trials">;

/** What a repetition changes, in words: 12 rounds, trials of 6 s. */
export function useRepetitionText() {
  const { t } = useTranslation("compare");
  return ({ rounds, seconds, trials }: Changes) =>
    [
      rounds !== null && t("repetition.rounds", { rounds }),
      seconds !== null && t("repetition.seconds", { seconds }),
      trials !== null && t("repetition.trials", { trials }),
    ]
      .filter(Boolean)
      .join(t("repetition.and"));
}
