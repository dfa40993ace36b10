import { Text } from "@mantine/core";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import type { Contender } from "~/api/types";
import { useWordList, useWords } from "~/i18n/words";
import { Disclosure } from "~/ui/disclosure";
import { lazyPart } from "~/ui/lazy_part";
import type { Side } from "./model/sides";

/** Whether the contender may be compared, and every field that differs. */
export function GateReport({ contender, side }: { contender: Contender; side: Side }) {
  const { t } = useTranslation("compare");
  const word = useWords();
  const { verdict, differences } = contender.gate;
  const axes = useWordList()(contender.compared_axes.map((axis) => word("axis", axis)));
  const against = differences.filter((one) => one.axis === null);
  return (
    <>
      {verdict === "unknown" ? (
        // Only cases that both sides measured have environments to compare.
        <Text size="sm">{t("gate.unknown")}</Text>
      ) : verdict === "comparable" ? (
        <Text size="sm">
          {t(axes === "" ? "gate.comparable_no_axis" : "gate.comparable", { axes })}
        </Text>
      ) : (
        <Suspense>
          <GateAlert verdict={verdict} axes={axes === "" ? t("gate.no_axis") : axes} />
        </Suspense>
      )}
      {differences.length > 0 && (
        <Disclosure
          title={t("differences.title", { count: differences.length })}
          open={against.length > 0}
        >
          <Suspense>
            <Differences differences={differences} side={side} />
          </Suspense>
        </Disclosure>
      )}
    </>
  );
}

/** Loaded where something differs. */
const Differences = lazyPart(() => import("./differences"), "Differences");

/** Loaded where something stands against the comparison. */
const GateAlert = lazyPart(() => import("./gate_alert"), "GateAlert");
