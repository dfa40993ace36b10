import { Button, Group, NativeSelect, Switch } from "@mantine/core";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Comparison } from "~/api/types";
import { useWords } from "~/i18n/words";
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
  // What is narrowed anew is read from its first page.
  const narrow: ChangeView = (part) => change({ ...part, page: undefined });
  const any = { value: "", label: t("any") };
  return (
    <Group align="flex-end" gap="sm" mb="sm">
      {sides.contenders.length > 1 && (
        <NativeSelect
          label={t("contender")}
          value={contender ?? ""}
          onChange={(event) =>
            narrow({ contender: Number(event.currentTarget.value) || undefined })
          }
          data={[
            any,
            ...sides.contenders.map((side, place) => ({
              value: String(place + 1),
              label: side.short,
            })),
          ]}
        />
      )}
      <NativeSelect
        label={t("verdict")}
        value={verdict ?? ""}
        onChange={(event) =>
          narrow({ verdict: (event.currentTarget.value || undefined) as VerdictFilter })
        }
        data={[
          any,
          ...VERDICT_FILTERS.map((one) => ({
            value: one,
            label: one === "none" ? t("not_compared") : word("verdict", one),
          })),
        ]}
      />
      <NativeSelect
        label={t("metric")}
        value={only ?? ""}
        onChange={(event) => narrow({ only: event.currentTarget.value || undefined })}
        data={[
          any,
          ...metrics.map((one) => ({
            value: one.key,
            label: metricText(one.metric, one.subject),
          })),
        ]}
      />
      {metrics.some((one) => !one.main) && (
        <Switch
          label={t("main_only")}
          mb={8}
          checked={!all && only === undefined}
          disabled={only !== undefined}
          onChange={(event) => narrow({ all: event.currentTarget.checked ? undefined : true })}
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
