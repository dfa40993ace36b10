import { List } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { type Effect, numberOf, type Row } from "~/api/rows";
import type { Unit } from "~/api/types";
import { differenceScale, formatQuantity } from "~/quantities/format";

/**
 * Up to which difference the sides of an effect count as the same: the metric's own amount where
 * that alone makes them so, else a share. Effects of older versions may say neither.
 */
export function SameLimit({ effect: { ratio, difference } }: { effect: Effect }) {
  const { t } = useTranslation("charts");
  const [share, amount] = [numberOf(ratio, "same_within"), numberOf(ratio, "same_amount")];
  if (ratio.verdict === "same" && amount === null && !isInside(ratio, share ?? 0)) return null;
  const unit = difference.key.unit as Unit;
  const limit =
    amount === null
      ? share !== null && formatQuantity(share, "ratio")
      : formatQuantity(amount, unit, differenceScale(unit));
  return limit === false ? null : <List.Item>{t("decided.threshold", { limit })}</List.Item>;
}

/** Whether the share decided: older versions kept it alone, of what an amount decided too. */
function isInside({ low, high }: Row, share: number): boolean {
  return low !== null && high !== null && 1 - share <= low && high <= 1 + share;
}
