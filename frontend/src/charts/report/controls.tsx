import { Checkbox, Group, NativeSelect, Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import type { ChartView } from "../view";
import { type Axes, type Layout, NO_FACET } from "./layout";
import type { MetricOption } from "./metrics";

interface ControlsProps {
  options: MetricOption[];
  metric: string;
  axes: Axes;
  layout: Layout;
  view: ChartView;
  onView: (view: ChartView) => void;
}

/** Which metric is drawn, and where its axes go. */
export function Controls({ options, metric, axes, layout, view, onView }: ControlsProps) {
  const { t } = useTranslation("charts");
  const word = useWords();
  const named = (axis: string) => ({ value: axis, label: word("axis", axis) });
  const label = ({ name, unit, direction }: MetricOption) => ({
    value: name,
    label: `${word("metric", name)} (${word("unit", unit)}, ${word("direction", direction)})`,
  });
  const group = (main: boolean) => ({
    group: t(main ? "main_metrics" : "other_metrics"),
    items: options.filter((one) => one.main === main).map(label),
  });
  const free = [...axes.keys()].filter((axis) => axis !== layout.x);
  const facet = view.facet === NO_FACET ? NO_FACET : (layout.facets[0] ?? NO_FACET);
  const tellable = free.filter((axis) => axis !== facet);
  const set = (change: ChartView) => onView({ ...view, ...change });
  return (
    <Stack gap="sm">
      <Group gap="sm" align="flex-end">
        <NativeSelect
          label={t("metric")}
          value={metric}
          // Another metric has axes of its own; scales stay where they fit.
          onChange={(event) => onView({ metric: event.currentTarget.value, yScale: view.yScale })}
          data={[group(true), group(false)].filter(({ items }) => items.length > 0)}
          style={{ flex: "2 1 16rem" }}
        />
        {axes.size > 0 && (
          <NativeSelect
            label={t("x_axis")}
            value={layout.x ?? ""}
            onChange={(event) => set({ x: event.currentTarget.value, xScale: undefined })}
            data={[...axes.keys()].map(named)}
            style={{ flex: "1 1 9rem" }}
          />
        )}
        {free.length > 0 && (
          <NativeSelect
            label={t("split_by")}
            value={facet}
            onChange={(event) => set({ facet: event.currentTarget.value, series: undefined })}
            data={[{ value: NO_FACET, label: t("not_split") }, ...free.map(named)]}
            style={{ flex: "1 1 9rem" }}
          />
        )}
      </Group>
      {tellable.length > 1 && (
        <Checkbox.Group
          label={t("told_apart")}
          description={t("told_apart_text")}
          value={layout.series}
          onChange={(series) => series.length > 0 && set({ series, facet })}
        >
          <Group gap="md" mt={4}>
            {tellable.map((axis) => (
              <Checkbox key={axis} size="sm" value={axis} label={word("axis", axis)} />
            ))}
          </Group>
        </Checkbox.Group>
      )}
    </Stack>
  );
}
