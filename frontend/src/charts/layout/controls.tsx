import { Group, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import { Select } from "~/ui/select";
import { Tick } from "~/ui/tick";
import type { ChartView } from "../view";
import type { Axes } from "./axes";
import { type Layout, NO_FACET } from "./layout";
import { NARROW, placesOf, WIDE } from "./places";

export interface ControlsProps {
  metrics: readonly MetricChoice[];
  /** The key of the drawn chart. */
  metric: string;
  onMetric: (key: string) => void;
  axes: Axes;
  layout: Layout;
  view: ChartView;
  /** Gets what of the view changes. */
  change: (part: ChartView) => void;
}

/** A metric to choose; `main` ones are what cases are about. */
export interface MetricChoice {
  key: string;
  label: string;
  main: boolean;
}

/** Which metric is drawn, and where its axes go. */
export function Controls(props: ControlsProps) {
  const { metrics, metric, onMetric, axes, layout, view, change } = props;
  const { t } = useTranslation("charts");
  const word = useWords();
  const named = (axis: string) => ({ value: axis, label: word("axis", axis) });
  const group = (main: boolean) => ({
    group: t(main ? "main_metrics" : "other_metrics"),
    items: metrics
      .filter((one) => one.main === main)
      .map(({ key, label }) => ({ value: key, label })),
  });
  const { free, facet, tellable } = placesOf(axes, layout, view);
  const tell = (axis: string, told: boolean) => {
    const series = tellable.filter((one) => (one === axis ? told : layout.series.includes(one)));
    if (series.length > 0) change({ series, facet });
  };
  return (
    <Stack gap="sm">
      <Group gap="sm" align="flex-end">
        <Select
          label={t("metric")}
          value={metric}
          onChange={onMetric}
          data={[group(true), group(false)].filter(({ items }) => items.length > 0)}
          style={{ flex: WIDE }}
        />
        {axes.size > 0 && (
          <Select
            label={t("x_axis")}
            value={layout.x ?? ""}
            onChange={(x) => change({ x, xScale: undefined })}
            data={[...axes.keys()].map(named)}
            style={{ flex: NARROW }}
          />
        )}
        {free.length > 0 && (
          <Select
            label={t("split_by")}
            value={facet}
            onChange={(chosen) => change({ facet: chosen, series: undefined })}
            data={[{ value: NO_FACET, label: t("not_split") }, ...free.map(named)]}
            style={{ flex: NARROW }}
          />
        )}
      </Group>
      {tellable.length > 1 && (
        <fieldset style={{ border: 0, padding: 0, margin: 0 }}>
          <Text component="legend" size="sm" fw={500} p={0}>
            {t("told_apart")}
          </Text>
          <Text size="xs" c="dimmed">
            {t("told_apart_text")}
          </Text>
          <Group gap="md" mt={4}>
            {tellable.map((axis) => (
              <Tick
                key={axis}
                label={word("axis", axis)}
                checked={layout.series.includes(axis)}
                onChange={(told) => tell(axis, told)}
              />
            ))}
          </Group>
        </fieldset>
      )}
    </Stack>
  );
}
