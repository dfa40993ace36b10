import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { usePointText } from "./point_text";

type Side = Schemas["ComparedRun"];

/** A comparison in a line: its contenders against its baseline, of one run or of several. */
export function useComparisonText() {
  const { t } = useTranslation("comparisons");
  const pointText = usePointText();
  const sideText = ({ name, where, reference_id }: Side) => {
    // What was published has one name, as on the comparison's own page.
    const part = reference_id == null ? pointText(where) : "";
    return part === "" ? name : `${name}: ${part}`;
  };
  return ({ baseline, contenders }: { baseline: Side; contenders: Side[] }) => {
    const ofOne = [baseline, ...contenders].every(
      ({ name, where }) => name === baseline.name && pointText(where) !== "",
    );
    const text = (side: Side) => (ofOne ? pointText(side.where) : sideText(side));
    return t(ofOne ? "against_of" : "against", {
      name: baseline.name,
      contenders: contenders.map(text).join(", "),
      baseline: text(baseline),
    });
  };
}
