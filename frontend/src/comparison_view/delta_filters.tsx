import { Button, Group } from "@mantine/core";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Comparison } from "~/api/types";
import { useWords } from "~/i18n/words";
import { Select } from "~/ui/select";
import { Tick } from "~/ui/tick";
import { metricsOf } from "./model/metrics";
import type { Sides } from "./model/sides";
import { useMetricText } from "./use_words";
import {
  type ChangeView,
  type ComparisonViewState,
  VERDICT_FILTERS,
  type VerdictFilter,
} from "./view";

/** What the table is narrowed to. */
export function DeltaFilters({
  comparison,
  sides,
  view,
  change,
}: {
  comparison: Comparison;
  sides: Sides;
  view: ComparisonViewState;
  change: ChangeView;
}) {
  const { t } = useTranslation("compare");
  const word = useWords();
  const metricText = useMetricText();
  const metrics = useMemo(() => metricsOf(comparison), [comparison]);
  const { contender, verdict, only, all } = view;
  // What is narrowed again is read from its first page.
  const narrow: ChangeView = (part) => change({ ...part, page: undefined });
  const any = { value: "", label: t("any") };
  return (
    <Group align="flex-end" gap="sm" mb="sm">
      {sides.contenders.length > 1 && (
        <Select
          label={t("contender")}
          value={String(contender ?? "")}
          onChange={(chosen) => narrow({ contender: Number(chosen) || undefined })}
          data={[
            any,
            ...sides.contenders.map((side, place) => ({
              value: String(place + 1),
              label: side.short,
            })),
          ]}
        />
      )}
      <Select
        label={t("verdict")}
        value={verdict ?? ""}
        onChange={(chosen) => narrow({ verdict: (chosen || undefined) as VerdictFilter })}
        data={[
          any,
          ...VERDICT_FILTERS.map((one) => ({
            value: one,
            label: one === "none" ? t("not_compared") : word("verdict", one),
          })),
        ]}
      />
      <Select
        label={t("metric")}
        value={only ?? ""}
        onChange={(chosen) => narrow({ only: chosen || undefined })}
        data={[
          any,
          ...metrics.map((one) => ({
            value: one.key,
            label: metricText(one.metric, one.subject),
          })),
        ]}
      />
      {metrics.some((one) => !one.main) && (
        <Tick
          label={t("main_only")}
          checked={!all && only === undefined}
          disabled={only !== undefined}
          onChange={(checked) => narrow({ all: checked ? undefined : true })}
        />
      )}
      {(contender || verdict || only || all) && (
        <Button
          variant="subtle"
          onClick={() =>
            narrow({
              contender: undefined,
              verdict: undefined,
              only: undefined,
              all: undefined,
            })
          }
        >
          {t("clear_filters")}
        </Button>
      )}
    </Group>
  );
}
