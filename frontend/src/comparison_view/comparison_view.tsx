import { Stack, Text } from "@mantine/core";
import { memo, Suspense } from "react";
import { useTranslation } from "react-i18next";
import type { Comparison, Contender } from "~/api/types";
import { ProvenanceOf } from "~/charts/provenance";
import { ShownAsInAddress } from "~/charts/shown_as";
import { listed } from "~/i18n/punctuation";
import { formatNumber } from "~/quantities/format";
import { lazyPart } from "~/ui/lazy_part";
import { useMomentText } from "~/ui/moment";
import { defined } from "~/ui/search_values";
import { useLatest } from "~/ui/use_latest";
import { BaselineBar } from "./baseline_bar";
import { ChartsSection } from "./charts_section";
import { Contenders } from "./contenders";
import { DeltaSection } from "./delta_section";
import type { RenderLink } from "./links";
import { useSides } from "./use_words";
import type { ChangeView, ComparisonViewState } from "./view";

// Of one file: what is drawn apart and with the rest is not loaded in pieces.
export { ComparisonCharts } from "./comparison_charts";

export interface ComparisonViewProps {
  comparison: Comparison;
  view: ComparisonViewState;
  /** Gets the whole next view; put it into the page's address. */
  onView: (view: ComparisonViewState) => void;
  /** Where runs and cases have pages, makes links to them. */
  renderLink?: RenderLink;
}

/** A frozen comparison: may it be made, what differs, by how much, and how sure that is. */
export const ComparisonView = memo(function ComparisonView({
  comparison,
  view,
  onView,
  renderLink,
}: ComparisonViewProps) {
  const { t } = useTranslation("compare");
  const sides = useSides(comparison);
  // Always the same function, so that what a change does not concern is not drawn again.
  const change: ChangeView = useLatest((part) => onView(defined({ ...view, ...part })));
  const moment = useMomentText();
  const clusters = [...new Set(sides.all.flatMap(({ run }) => run.clusters))];
  const lines = [
    `${listed(sides.contenders.map(({ full }) => full))} ${t("against")} ${sides.baseline.full}`,
    listed(clusters),
    moment(sides.contenders[0]?.run.created_at ?? comparison.created_at),
  ];
  return (
    <ProvenanceOf lines={lines}>
      <Stack gap="lg">
        <BaselineBar side={sides.baseline} />
        <Text size="sm" c="dimmed">
          {t("method", {
            noise: formatNumber(comparison.noise_threshold * 100),
            confidence: formatNumber((1 - comparison.alpha) * 100),
          })}
        </Text>
        <Contenders comparison={comparison} sides={sides} renderLink={renderLink} />
        <ShownAsInAddress view={view} change={change}>
          <ChartsSection comparison={comparison} sides={sides} view={view} change={change} />
        </ShownAsInAddress>
        <DeltaSection
          comparison={comparison}
          sides={sides}
          view={view}
          change={change}
          renderLink={renderLink}
        />
        {comparison.contenders.some(hasUnpaired) && (
          <Suspense>
            <Unpaired comparison={comparison} sides={sides} />
          </Suspense>
        )}
      </Stack>
    </ProvenanceOf>
  );
});

/** Loaded where there are any. */
const Unpaired = lazyPart(() => import("./unpaired"), "Unpaired");

const hasUnpaired = (one: Contender) =>
  one.unpaired_baseline.length + one.unpaired_contender.length > 0;
