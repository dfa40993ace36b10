import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";

type Changes = Pick<Schemas["NextRun"], "rounds" | "seconds" | "trials">;

/** What a repetition changes, in words: 12 rounds, trials of 6 s. */
export function useRepetitionText() {
  const { t } = useTranslation("runs");
  return ({ rounds, seconds, trials }: Changes) =>
    [
      rounds !== null && t("repeat.of.rounds", { rounds }),
      seconds !== null && t("repeat.of.seconds", { seconds }),
      trials !== null && t("repeat.of.trials", { trials }),
    ]
      .filter(Boolean)
      .join(t("repeat.of.and"));
}
