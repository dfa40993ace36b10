import { Anchor, Box, Group, Stack, Text, Title } from "@mantine/core";
import type { ComponentType } from "react";
import { useTranslation } from "react-i18next";
import { IMPORT } from "~/api/kinds";
import type { Schemas } from "~/api/types";
import { readChartView } from "~/charts/view";
import { readComparisonView } from "~/comparison_view/view";
import { speakOfShared } from "~/i18n";
import { Headline } from "~/ui/headline";
import { Moment } from "~/ui/moment";
import { useAddress } from "./address";
import { Outcomes } from "./outcomes";
import type { SubjectProps } from "./subject";

type Content = Schemas["SnapshotContent"];

/** Within another page: what was found, its charts, when that was, and the way to all of it. */
export function Embed({
  token,
  snapshot: { title, content },
  Charts,
}: {
  token: string;
  snapshot: Schemas["PublicSnapshot"];
  Charts: ComponentType<SubjectProps>;
}) {
  const { t } = useTranslation(["public", "compare"]);
  const [search, onView] = useAddress();
  return (
    <Box p="sm">
      <Stack component="main" gap="md" data-ready="true">
        <Title order={1} size="h4">
          {title}
        </Title>
        <Outcomes content={content} />
        {content.run?.run.kind === IMPORT && <Text fw={500}>{t("imported")}</Text>}
        <Headline headline={(content.run ?? content.comparison)?.headline ?? content.summary} />
        {(content.run || content.comparison) && (
          <h2 className="visually-hidden">{t("compare:charts")}</h2>
        )}
        <Charts content={content} search={search} onView={onView} />
        <Group gap="xs" justify="space-between">
          <Text c="dimmed" size="sm">
            {t(`frozen_${content.subject}`)} <Moment at={content.taken_at} />
          </Text>
          <Anchor size="sm" href={`/s/${token}`} target="_blank" rel="noopener">
            {t("whole_page")}
          </Anchor>
        </Group>
      </Stack>
    </Box>
  );
}

/** The component that draws the subject; only the needed one is loaded. */
export async function chartsOf({ subject }: Content): Promise<ComponentType<SubjectProps>> {
  switch (subject) {
    case "run": {
      const { ReportCharts } = await import("~/charts/report/report_explorer");
      return ({ content: { run }, search, onView }) =>
        run && <ReportCharts report={run} view={readChartView(search)} onView={onView} />;
    }
    case "comparison": {
      const { ComparisonCharts } = await import("~/comparison_view/comparison_view");
      return ({ content: { comparison }, search, onView }) =>
        comparison && (
          <ComparisonCharts
            comparison={comparison}
            view={readComparisonView(search)}
            onView={onView}
          />
        );
    }
    case "reproduction": {
      const [{ EmbeddedReproduction }] = await Promise.all([
        import("./shared_reproduction"),
        speakOfShared(),
      ]);
      return EmbeddedReproduction;
    }
    default: {
      const [{ EmbeddedRuns }] = await Promise.all([import("./embedded_runs"), speakOfShared()]);
      return EmbeddedRuns;
    }
  }
}
