import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { IMPORT } from "~/api/kinds";
import { kindsOptions } from "~/queries/kinds";
import {
  casesOptions,
  endedBlocks,
  type RunDetail,
  reportOptions,
  runPlanOptions,
  trialsOptions,
} from "~/queries/runs";
import { Loaded } from "~/ui/loaded";
import { Warnings } from "~/ui/messages";
import { BlockSection } from "./block_section";
import { type CaseFigures, caseFigures } from "./figures";
import { sections } from "./grid";
import { Terms } from "./terms";

/** The grid of cases, by the modes that they share. */
export function CasesTab({ run }: { run: RunDetail }) {
  const cases = useQuery(casesOptions(run.id));
  const kinds = useQuery(kindsOptions);
  const trials = useQuery(trialsOptions(run.id, endedBlocks(run)));
  const report = useQuery(reportOptions(run.id, "main"));
  // What was imported was never planned.
  const plan = useQuery({ ...runPlanOptions(run.id), enabled: run.kind !== IMPORT });
  const axes = kinds.data?.find((kind) => kind.name === run.kind)?.axes ?? [];
  const figures: CaseFigures = caseFigures(trials.data?.items, report.data, plan.data);
  return (
    <Stack gap="xl">
      <RunWarnings warnings={run.warnings} />
      <Loaded query={cases} lines={8}>
        {(found) => (
          <>
            {run.kind !== IMPORT && (
              <Terms axes={axes.filter(({ name }) => found.some(({ point }) => name in point))} />
            )}
            {sections(run.blocks, found).map((section) => (
              <BlockSection
                key={section.key}
                section={section}
                axes={axes.map((axis) => axis.name)}
                figures={figures}
                trials={trials.data?.items}
                attempt={run.attempt}
              />
            ))}
          </>
        )}
      </Loaded>
    </Stack>
  );
}

/** What to keep in mind about the whole run. */
export function RunWarnings({ warnings }: { warnings: RunDetail["warnings"] }) {
  const { t } = useTranslation("runs");
  return <Warnings title={t("warnings", { count: warnings.length })} warnings={warnings} />;
}
