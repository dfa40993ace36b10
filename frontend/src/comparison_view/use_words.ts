import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Warning } from "~/api/rows";
import type { Comparison } from "~/api/types";
import { bracketed, labelled } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import { formatNumber } from "~/quantities/format";
import { useMomentText } from "~/ui/moment";
import { usePointText } from "~/ui/point_text";
import { type Sides, sidesOf } from "./model/sides";
import type { Why } from "./model/why";

/** The sides' names in the user's language. */
export function useSides(comparison: Comparison): Sides {
  const { i18n } = useTranslation();
  const word = useWords();
  const point = usePointText();
  const moment = useMomentText();
  // The functions above are new in every render; they depend on the language alone.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  return useMemo(() => {
    return sidesOf(comparison, {
      point,
      value: (axis, value) =>
        typeof value === "number"
          ? `${word("axis", axis)} ${formatNumber(value, true)}`
          : word("axis_value", value),
      moment,
    });
  }, [comparison, i18n.language]);
}

/** Why something is not there, in a sentence. */
export function useReasons(): (why: Why) => string {
  const { t } = useTranslation("compare");
  const word = useWords();
  return (why) => {
    if (why.because !== "case") return t(`why.${why.because}`);
    const state = t(why.side === "baseline" ? "why.baseline_case" : "why.contender_case", {
      // Within a sentence.
      status: word("case_status", why.status).toLocaleLowerCase(),
    });
    return why.reason === null ? state : labelled(state, why.reason.text);
  };
}

/** A metric with what it was measured of: "CPU of the node (client)". */
export function useMetricText(): (metric: string, subject: string) => string {
  const word = useWords();
  return (metric, subject) =>
    subject === ""
      ? word("metric", metric)
      : bracketed(word("metric", metric), word("axis_value", subject));
}

/** A warning by its code. */
export function useNoteText(): (note: Warning) => string {
  const { t } = useTranslation("compare");
  const word = useWords();
  return ({ code, needed, found }) => {
    const text = word("warning", code);
    if (needed != null && found != null)
      return bracketed(text, t("needed_found", { needed, found }));
    return found == null ? text : bracketed(text, String(Number(found.toPrecision(3))));
  };
}
