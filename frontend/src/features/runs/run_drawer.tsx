import { Drawer, Group, Stack, Text } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { casesOptions, type RunDetail, trialOptions } from "~/queries/runs";
import { AnchorLink } from "~/ui/link";
import { usePointText } from "~/ui/point_text";
import { CaseTrials } from "./case_trials";
import { NO_TRIAL } from "./search";
import { TrialView } from "./trial_view";

/** Over the page: the trials of a case, or one of them. The address says which. */
export function RunDrawer({ run }: { run: RunDetail }) {
  const { t } = useTranslation(["runs", "common"]);
  const search = useSearch({ from: "/inside/runs/$runId" });
  const navigate = useNavigate({ from: "/runs/$runId" });
  const opened = search.trial !== undefined || search.case !== undefined;
  const close = () =>
    void navigate({
      search: (old) => ({ ...old, case: undefined, ...NO_TRIAL }),
      resetScroll: false,
    });
  return (
    <Drawer.Root opened={opened} onClose={close} position="right" size="xl">
      <Drawer.Overlay />
      <Drawer.Content>
        {/* A banner is the page's own header alone. */}
        <Drawer.Header role="none">
          <Drawer.Title>{search.trial === undefined ? t("case") : t("trial")}</Drawer.Title>
          <Drawer.CloseButton aria-label={t("common:close")} />
        </Drawer.Header>
        <Drawer.Body>
          <Stack>
            <DrawerCase run={run} />
            {search.trial !== undefined ? (
              <TrialView run={run} trialId={search.trial} />
            ) : (
              search.case !== undefined && <CaseTrials run={run} caseId={search.case} />
            )}
          </Stack>
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

/** The case that is opened, or the one of the opened trial; the way back to it. */
function DrawerCase({ run }: { run: RunDetail }) {
  const { t } = useTranslation("runs");
  const pointText = usePointText();
  const search = useSearch({ from: "/inside/runs/$runId" });
  const opened = search.case !== undefined || search.trial !== undefined;
  const cases = useQuery({ ...casesOptions(run.id), enabled: opened });
  const trial = useQuery({
    ...trialOptions(run.id, search.trial ?? 0),
    enabled: search.trial !== undefined,
  });
  const caseId = search.trial === undefined ? search.case : trial.data?.case_id;
  const one = cases.data?.find((found) => found.id === caseId);
  if (caseId === undefined) return null;
  return (
    <Stack gap={4}>
      {search.trial !== undefined && (
        <AnchorLink
          size="sm"
          from="/runs/$runId"
          to="."
          search={(old) => ({ ...old, case: caseId, ...NO_TRIAL })}
          resetScroll={false}
        >
          <Group gap={4} component="span">
            <IconArrowLeft size={14} aria-hidden />
            {t("all_trials")}
          </Group>
        </AnchorLink>
      )}
      {one && <Text fw={600}>{pointText(one.point)}</Text>}
    </Stack>
  );
}
