import { Button } from "@mantine/core";
import { IconCopy, IconDeviceFloppy } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { FavouriteButton } from "~/list_tools/favourite_button";
import { MarksLine } from "~/list_tools/marks_line";
import { ShareLink } from "~/list_tools/share_link";
import { useMe } from "~/queries/accounts";
import { type Experiment, experimentOptions } from "~/queries/experiments";
import { type Kind, kindsOptions } from "~/queries/kinds";
import { ButtonLink } from "~/ui/link";
import { Loaded } from "~/ui/loaded";
import { isMissing, Missing } from "~/ui/missing";
import { Page } from "~/ui/page";
import { ProblemAlert } from "~/ui/problem_alert";
import { useSearchState } from "~/ui/use_search_state";
import { ConflictAlert, MineAside } from "./conflict_alert";
import { DeleteButton } from "./delete_button";
import { Editor } from "./editor";
import { RecentRuns } from "./recent_runs";
import { UnsavedGuard } from "./unsaved_guard";
import { usePlan } from "./use_plan";
import { useSavedExperiment } from "./use_saved_experiment";

const FROM = "/inside/experiments/$experimentId";

/** One kept experiment. */
export function ExperimentPage() {
  const { t } = useTranslation();
  const { experimentId } = useParams({ from: FROM });
  const experiment = useQuery(experimentOptions(experimentId));
  const kinds = useQuery(kindsOptions);
  if (experiment.data && kinds.data) {
    return <KeptEditor first={experiment.data} kinds={kinds.data} />;
  }
  if (isMissing(experiment.error)) return <Missing what="experiment" />;
  return (
    <Page title={t("experiments")} ready={(experiment.error ?? kinds.error) !== null}>
      <Loaded query={experiment}>{() => <Loaded query={kinds}>{() => null}</Loaded>}</Loaded>
    </Page>
  );
}

function KeptEditor({ first, kinds }: { first: Experiment; kinds: Kind[] }) {
  const { t } = useTranslation(["experiments", "common"]);
  const me = useMe();
  const navigate = useNavigate({ from: "/experiments/$experimentId" });
  const [search, changeSearch] = useSearchState(FROM);
  const kept = useSavedExperiment(first, kinds);
  const state = usePlan(kept.spec.document, search.cluster);
  const mayWrite = me.may("operator");
  const { id } = first;
  const marks = useQuery(experimentOptions(id)).data?.marks;

  async function run(clusterId: string | null, force: boolean) {
    const runId = await kept.run(clusterId, force);
    if (runId === undefined) return;
    await navigate({ to: "/runs/$runId", params: { runId }, ignoreBlocker: true });
  }

  return (
    <Page
      title={kept.experiment.name}
      status={
        marks && (
          <FavouriteButton
            thing="experiment"
            id={id}
            name={kept.experiment.name}
            favourite={marks.favourite}
          />
        )
      }
      subtitle={marks && <MarksLine thing="experiment" id={id} marks={marks} />}
      ready={state.current || state.faults.length > 0 || state.error !== null}
      actions={
        <>
          <ButtonLink
            to="/experiments/new"
            search={{ from: id }}
            variant="default"
            leftSection={<IconCopy size={16} />}
          >
            {t("duplicate")}
          </ButtonLink>
          {mayWrite && <ShareLink of="experiment" id={id} />}
          {mayWrite && (
            <DeleteButton
              experiment={kept.experiment}
              onDeleted={() => void navigate({ to: "/experiments", ignoreBlocker: true })}
            />
          )}
          <Button
            leftSection={<IconDeviceFloppy size={16} />}
            disabled={!mayWrite || !kept.dirty || !state.current}
            loading={kept.saving}
            onClick={() => void kept.save()}
          >
            {t("common:save")}
          </Button>
        </>
      }
    >
      <UnsavedGuard dirty={kept.dirty} text={kept.spec.text} />
      {kept.theirs && (
        <ConflictAlert
          theirs={kept.theirs}
          mine={kept.spec.text}
          onKeepMine={kept.keepMine}
          onTakeTheirs={kept.takeTheirs}
        />
      )}
      {kept.mine !== null && (
        <MineAside mine={kept.mine} onPutBack={kept.putMineBack} onDismiss={kept.dismissMine} />
      )}
      {kept.error && <ProblemAlert error={kept.error} />}
      <Editor
        spec={kept.spec}
        state={state}
        kinds={kinds}
        search={search}
        onSearch={changeSearch}
        savesFirst={kept.dirty}
        starting={kept.starting}
        startError={kept.startError}
        onRun={(clusterId, force) => void run(clusterId, force)}
      >
        <RecentRuns experimentId={id} />
      </Editor>
    </Page>
  );
}
