import { Button, Group, Stack, Text } from "@mantine/core";
import { Fragment, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import type { AxisValue } from "~/api/types";
import { BarChart } from "~/charts/bar_chart";
import { CurveChart } from "~/charts/curve_chart";
import type { BarGroup, ScaleName } from "~/charts/types";
import { useWords } from "~/i18n/words";
import { Columns } from "~/ui/columns";
import { changeBars, curvesOf, type Facet, valueBars } from "./model/charts";
import type { Layout } from "./model/layout";
import type { ComparedMetric } from "./model/metrics";
import type { Sides } from "./model/sides";
import { useMetricText, useSay } from "./use_words";

interface Props {
  facets: Facet[];
  layout: Layout;
  sides: Sides;
  metric: ComparedMetric;
  /** Whether changes are shares of the baseline; else differences in the metric's unit. */
  relative: boolean;
  confidence: number;
  onScale: (axis: "x" | "y", scale: ScaleName) => void;
}

/** For each value of the facet: the values on both sides, and the changes. */
export function FacetCharts(props: Props) {
  const { facets } = props;
  return (
    <Columns from="xl">
      {facets.map((facet) => (
        <Fragment key={`${props.metric.key} ${facet.key}`}>
          <Values {...props} facet={facet} />
          <Changes {...props} facet={facet} />
        </Fragment>
      ))}
    </Columns>
  );
}

function Values({
  facet,
  layout,
  sides,
  metric,
  confidence,
  onScale,
}: Omit<Props, "facets"> & { facet: Facet }) {
  const { t } = useTranslation("compare");
  const word = useWords();
  const metricText = useMetricText();
  const say = useSay();
  const name = metricText(metric.metric, metric.subject);
  const title = useFacetTitle(name, layout.facet, facet.value);
  const description = t("values_description", {
    direction: word("direction", metric.direction),
    confidence: Math.round(confidence * 100),
  });
  if (layout.numeric && layout.x !== undefined) {
    return (
      <CurveChart
        name={`values ${facet.key}`}
        title={title}
        description={description}
        x={{ label: word("axis", layout.x), scale: layout.xScale }}
        y={{ label: name, unit: metric.unit, scale: layout.yScale }}
        curves={curvesOf(facet.spots, layout, sides, metric, say)}
        onScaleChange={onScale}
      />
    );
  }
  const groups = valueBars(facet.spots, layout, sides, metric, say);
  return (
    <Portions groups={groups}>
      {(part) => (
        <BarChart
          name={`values ${facet.key}`}
          title={title}
          description={description}
          y={{ label: name, unit: metric.unit }}
          groups={part}
        />
      )}
    </Portions>
  );
}

function Changes({
  facet,
  layout,
  sides,
  metric,
  relative,
  confidence,
}: Omit<Props, "facets" | "onScale"> & { facet: Facet }) {
  const { t } = useTranslation("compare");
  const metricText = useMetricText();
  const say = useSay();
  const name = metricText(metric.metric, metric.subject);
  const title = useFacetTitle(t("change_of", { metric: name }), layout.facet, facet.value);
  const groups = changeBars(facet.spots, layout, sides, metric, relative, say);
  return (
    <Portions groups={groups}>
      {(part) => (
        <BarChart
          name={`changes ${facet.key}`}
          title={title}
          description={t("changes_description", { confidence: Math.round(confidence * 100) })}
          y={{
            label: t(relative ? "relative_change" : "difference"),
            unit: relative ? "ratio" : metric.unit,
          }}
          groups={part}
          zeroLabel={t("as_baseline", { side: sides.baseline.short })}
        />
      )}
    </Portions>
  );
}

function useFacetTitle(title: string, axis: string | undefined, value: AxisValue | undefined) {
  const word = useWords();
  return axis === undefined || value === undefined
    ? title
    : `${title} · ${word("axis", axis)}: ${word("axis_value", value)}`;
}

/** More bars than this at once are neither legible nor quick. */
const MOST_BARS = 48;

/** All groups where they are few, else one portion after the other, and which one it is. */
function Portions({
  groups,
  children,
}: {
  groups: BarGroup[];
  children: (part: BarGroup[]) => ReactNode;
}) {
  const { t } = useTranslation("compare");
  const [asked, setStart] = useState(0);
  const start = asked < groups.length ? asked : 0;
  const size = Math.max(1, Math.floor(MOST_BARS / Math.max(1, groups[0]?.bars.length ?? 1)));
  if (groups.length <= size) return children(groups);
  const end = Math.min(start + size, groups.length);
  return (
    <Stack gap="xs" miw={0}>
      {children(groups.slice(start, end))}
      <Group gap="xs">
        <Text size="sm" aria-live="polite">
          {t("portion", { from: start + 1, to: end, total: groups.length })}
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          disabled={start === 0}
          onClick={() => setStart(start - size)}
        >
          {t("previous")}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          disabled={end === groups.length}
          onClick={() => setStart(start + size)}
        >
          {t("next")}
        </Button>
      </Group>
    </Stack>
  );
}
