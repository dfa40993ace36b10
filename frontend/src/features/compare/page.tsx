import { Alert, Button, Menu, Text } from "@mantine/core";
import { IconAlertTriangle, IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useLocation } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { caseOf } from "~/api/headline";
import type { AxisValue, Comparison, Schemas } from "~/api/types";
import { ComparisonCharts, ComparisonView } from "~/comparison_view/comparison_view";
import type { RenderLink } from "~/comparison_view/links";
import { type RenderRepeat, RepeatBy } from "~/comparison_view/repeat";
import { useSides } from "~/comparison_view/use_words";
import type { ComparisonViewState } from "~/comparison_view/view";
import { useWords } from "~/i18n/words";
import { ShareLink } from "~/list_tools/share_link";
import { PublishedBeside } from "~/published/published_beside";
import { usePublished } from "~/published/use_published";
import { useMe } from "~/queries/accounts";
import { comparisonOptions, downloadsOf } from "~/queries/comparisons";
import { type NewRepetition, useRepeat } from "~/queries/runs";
import { CopyButton } from "~/ui/copy_button";
import { Headline } from "~/ui/headline";
import { AnchorLink } from "~/ui/link";
import { Loaded } from "~/ui/loaded";
import { isMissing, Missing } from "~/ui/missing";
import { Moment } from "~/ui/moment";
import { NextRun } from "~/ui/next_run";
import { Page } from "~/ui/page";
import { RepeatRun } from "~/ui/repeat_run";
import { useLatest } from "~/ui/use_latest";
import { useSearchState } from "~/ui/use_search_state";
import { choiceOf } from "./choice";

const route = getRouteApi("/inside/compare/$comparisonId");

/** `/compare/$comparisonId`: a comparison as it was made. */
export function ComparisonPage() {
  const { t } = useTranslation("comparisons");
  const { comparisonId } = route.useParams();
  const comparison = useQuery(comparisonOptions(comparisonId));
  if (comparison.data) return <Made comparison={comparison.data} />;
  if (isMissing(comparison.error)) return <Missing what="comparison" />;
  return (
    <Page title={t("comparison")} ready={comparison.isError}>
      <Loaded query={comparison} lines={12}>
        {() => null}
      </Loaded>
    </Page>
  );
}

/** Every axis of the compared cases, with all the values that were met. */
function chartedAxes({ contenders }: Comparison): Record<string, AxisValue[]> {
  const found: Record<string, AxisValue[]> = {};
  const points = contenders.flatMap(({ pairs }) =>
    pairs.flatMap(({ baseline, contender }) => [baseline.point, contender.point]),
  );
  for (const [axis, value] of points.flatMap((point) => Object.entries(point))) {
    found[axis] ??= [];
    if (!found[axis].includes(value)) found[axis].push(value);
  }
  return found;
}

/** Says which method computed it, and where to compare the same sides by today's. */
function Outdated({ comparison }: { comparison: Comparison }) {
  const { t } = useTranslation("comparisons");
  return (
    <Alert role="note" color="orange" icon={<IconAlertTriangle />} title={t("outdated_title")}>
      <Text size="sm">{t("outdated_text", { version: comparison.method_version })}</Text>
      <AnchorLink to="/compare" search={choiceOf(comparison)} size="sm">
        {t("compare_again")}
      </AnchorLink>
    </Alert>
  );
}

function Made({ comparison }: { comparison: Schemas["ShownComparison"] }) {
  const { t } = useTranslation("comparisons");
  const word = useWords();
  const [view, change, replace] = useSearchState("/inside/compare/$comparisonId");
  const sides = useSides(comparison);
  const published = usePublished(comparison.kind, view.published);
  const axes = useMemo(() => chartedAxes(comparison), [comparison]);
  // The same function all the time: only another view draws the comparison again.
  const onView = useLatest((next: ComparisonViewState) =>
    replace({ ...next, published: view.published }),
  );
  return (
    <Page
      title={t("title_of", {
        baseline: sides.baseline.short,
        contenders: sides.contenders.map((side) => side.short).join(t("and")),
      })}
      subtitle={
        <Text size="sm" c="dimmed">
          {word("kind", comparison.kind)} · {word("metric_choice", comparison.metrics)} ·{" "}
          {t("made_at")} <Moment at={comparison.created_at} />
        </Text>
      }
      actions={<Actions id={comparison.id} />}
    >
      {comparison.outdated && <Outdated comparison={comparison} />}
      <Headline
        headline={comparison.headline}
        chart={
          <ComparisonCharts
            comparison={comparison}
            view={view}
            onView={onView}
            about={caseOf(comparison.headline) ?? "first"}
          />
        }
      />
      <PublishedBeside
        {...published}
        chosen={view.published}
        onChoose={(published) => change({ published })}
        axes={axes}
      >
        <RepeatBy value={repeated}>
          <ComparisonView comparison={comparison} view={view} onView={onView} renderLink={toRun} />
        </RepeatBy>
      </PublishedBeside>
    </Page>
  );
}

const toRun: RenderLink = ({ runId, caseId, text }) => (
  <AnchorLink
    to="/runs/$runId"
    params={{ runId }}
    search={caseId === undefined ? {} : { case: caseId }}
    inherit
    underline="always"
  >
    {text}
  </AnchorLink>
);

const repeated: RenderRepeat = ({ runId, changes }) => {
  const button = <Repeat runId={runId} changes={changes} />;
  return "decides" in changes ? <NextRun next={changes}>{button}</NextRun> : button;
};

function Repeat({ runId, changes }: { runId: string; changes: NewRepetition }) {
  const may = useMe().may("operator");
  return <RepeatRun changes={changes} may={may} use={(...asked) => useRepeat(runId, ...asked)} />;
}

function Actions({ id }: { id: string }) {
  const { t } = useTranslation("comparisons");
  const word = useWords();
  const me = useMe();
  const { href } = useLocation();
  return (
    <>
      <CopyButton text={`${window.location.origin}${href}`} label={t("copy_link")} />
      <Menu position="bottom-end">
        <Menu.Target>
          <Button size="xs" variant="default" leftSection={<IconDownload size={14} />}>
            {t("export")}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {downloadsOf(id).map(({ format, href: file }) => (
            <Menu.Item key={format} component="a" href={file} download>
              {word("format", format)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {me.may("operator") && <ShareLink size="xs" of="comparison" id={id} />}
    </>
  );
}
