import i18next from "i18next";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { bracketed, labelled, listed } from "~/i18n/punctuation";
import { usePointText } from "./point_text";

type Side = Schemas["ComparedRun"];

/** A side's name; what Podmeter did not measure is always called so. */
export function sideName(side: Side): string {
  return marked(side.name, side);
}

/** A side's name and part, marked alike. */
export function sideLabel(side: Side): string {
  return marked(side.label, side);
}

function marked(text: string, { reference_id, imported }: Side): string {
  if (reference_id != null) return bracketed(text, i18next.t("compare:published"));
  return imported ? bracketed(text, i18next.t("compare:imported")) : text;
}

/** A comparison in a line: its contenders against its baseline, of one run or of several. */
export function useComparisonText() {
  const { t } = useTranslation("comparisons");
  const pointText = usePointText();
  const sideText = (side: Side) => {
    const name = sideName(side);
    // What was published has one name, as on the comparison's own page.
    const part = side.reference_id == null ? pointText(side.where) : "";
    return part === "" ? name : labelled(name, part);
  };
  return ({ baseline, contenders }: { baseline: Side | null; contenders: Side[] }) => {
    // A document that another version stored, which cannot be read.
    if (baseline === null) return t("unreadable");
    // A run may be named like what was published, and is not of it.
    const ofOne =
      baseline.reference_id == null &&
      [baseline, ...contenders].every(
        (side) => sideName(side) === sideName(baseline) && pointText(side.where) !== "",
      );
    const texts = [baseline, ...contenders].map((side) =>
      ofOne ? pointText(side.where) : sideText(side),
    );
    // Runs of one experiment are numbered, as on the comparison's own page.
    const told = texts.map((text, place) =>
      texts.indexOf(text) === texts.lastIndexOf(text) ? text : `${text} #${place + 1}`,
    );
    return t(ofOne ? "against_of" : "against", {
      name: sideName(baseline),
      contenders: listed(told.slice(1)),
      baseline: told[0],
    });
  };
}
