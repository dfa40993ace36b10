import { Alert, Text } from "@mantine/core";
import { IconAlertTriangle, IconBan, IconCircleCheck } from "@tabler/icons-react";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import type { Contender } from "~/api/types";
import { useWords } from "~/i18n/words";
import { Disclosure } from "~/ui/disclosure";
import type { Side } from "./model/sides";

const LOOKS = {
  comparable: { color: "green", icon: <IconCircleCheck /> },
  confounded: { color: "orange", icon: <IconAlertTriangle /> },
  refused: { color: "red", icon: <IconBan /> },
} as const;

/** Whether the contender may be compared, and every field that differs. */
export function GateReport({ contender, side }: { contender: Contender; side: Side }) {
  const { t } = useTranslation("compare");
  const word = useWords();
  const { verdict, differences } = contender.gate;
  const gate = verdict as keyof typeof LOOKS;
  const axes = contender.compared_axes.map((axis) => word("axis", axis)).join(", ");
  const against = differences.filter((one) => one.axis === null);
  return (
    <>
      {gate === "comparable" ? (
        <Text size="sm">
          {t(axes === "" ? "gate.comparable_no_axis" : "gate.comparable", { axes })}
        </Text>
      ) : (
        <Alert
          variant="light"
          color={LOOKS[gate].color}
          icon={LOOKS[gate].icon}
          title={t(`gate.${gate}_title`)}
          p="sm"
        >
          {t(`gate.${gate}`, { axes: axes === "" ? t("gate.no_axis") : axes })}
        </Alert>
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
const Differences = lazy(async () => ({ default: (await import("./differences")).Differences }));
