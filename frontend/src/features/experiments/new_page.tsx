import { Button, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconDeviceFloppy } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "~/queries/accounts";
import { experimentOptions, useCreate } from "~/queries/experiments";
import { type Kind, kindsOptions } from "~/queries/kinds";
import { useStart } from "~/queries/runs";
import { templatesOptions } from "~/queries/templates";
import { AnchorLink } from "~/ui/link";
import { Loaded } from "~/ui/loaded";
import { Page } from "~/ui/page";
import { ProblemAlert } from "~/ui/problem_alert";
import { useSearchState } from "~/ui/use_search_state";
import { draftAddress } from "./drafts";
import { Editor } from "./editor";
import { textOf } from "./spec_text";
import { TemplateGallery } from "./template_gallery";
import { UnsavedGuard } from "./unsaved_guard";
import { useOnTextChange } from "./use_on_text_change";
import { usePlan } from "./use_plan";
import { useSpec } from "./use_spec";
import { useTemplateText } from "./use_template_text";
import { rememberText } from "./written_text";

const FROM = "/inside/experiments/new";

/** `/experiments/new`: the gallery, or the editor on what was picked there or is copied. */
export function NewExperimentPage() {
  const { t } = useTranslation("experiments");
  const { template, values, from, cluster } = useSearch({ from: FROM });
  const kinds = useQuery(kindsOptions);
  const templates = useQuery(templatesOptions);
  const original = useQuery({ ...experimentOptions(from ?? ""), enabled: from !== undefined });
  const templateText = useTemplateText();
  const title = t("new_experiment");

  if (from !== undefined) {
    if (original.data && kinds.data) {
      const copy = { ...original.data.spec, name: t("copy_of", { name: original.data.name }) };
      const text = textOf({ ...original.data, spec: copy }, kinds.data);
      return <NewEditor key={from} initial={text} kinds={kinds.data} />;
    }
    return (
      <Page title={title} ready={(original.error ?? kinds.error) !== null}>
        <Loaded query={original}>{() => <Loaded query={kinds}>{() => null}</Loaded>}</Loaded>
      </Page>
    );
  }
  if (template !== undefined && kinds.data && templates.data) {
    const text = templateText(template, kinds.data, templates.data, values);
    const key = `${template} ${values}`;
    if (text !== undefined) return <NewEditor key={key} initial={text} kinds={kinds.data} />;
  }
  return (
    <Page
      title={title}
      subtitle={<Text c="dimmed">{t("pick_template")}</Text>}
      ready={!kinds.isPending && !templates.isPending}
    >
      <Loaded query={kinds}>{(all) => <TemplateGallery kinds={all} cluster={cluster} />}</Loaded>
    </Page>
  );
}

function NewEditor({ initial, kinds }: { initial: string; kinds: Kind[] }) {
  const { t } = useTranslation(["experiments", "common"]);
  const me = useMe();
  const navigate = useNavigate({ from: "/experiments/new" });
  const [search, changeSearch] = useSearchState(FROM);
  const spec = useSpec(initial, draftAddress(useLocation()));
  const state = usePlan(spec.document, search.cluster);
  const create = useCreate();
  const start = useStart();
  const [running, setRunning] = useState(false);
  const mayWrite = me.may("operator");
  useOnTextChange(spec.text, create.reset);

  async function save() {
    const { text } = spec;
    const kept = await create.mutateAsync(text);
    rememberText(kept.id, kept.version, text);
    return kept;
  }

  function openKept(id: string) {
    const { view, cluster } = search;
    return navigate({
      to: "/experiments/$experimentId",
      params: { experimentId: id },
      search: { view, cluster },
      ignoreBlocker: true,
    });
  }

  /** What is kept stays kept where the run then cannot start: its page says why. */
  async function run(clusterId: string | null, force: boolean) {
    setRunning(true);
    const kept = await save().catch(() => undefined);
    if (kept !== undefined) {
      const { id, version } = kept;
      try {
        const { id: runId } = await start.mutateAsync({ id, version, clusterId, force });
        await navigate({ to: "/runs/$runId", params: { runId }, ignoreBlocker: true });
      } catch (error) {
        notifications.show({
          color: "red",
          title: t("not_started"),
          message: String((error as Error).message),
        });
        await openKept(id);
      }
    }
    setRunning(false);
  }

  return (
    <Page
      title={t("new_experiment")}
      subtitle={
        <AnchorLink to="/experiments/new" search={{ cluster: search.cluster }} size="sm">
          {t("all_templates")}
        </AnchorLink>
      }
      ready={state.current || state.faults.length > 0 || state.error !== null}
      actions={
        <Button
          // The one primary button is that which runs it.
          variant="default"
          leftSection={<IconDeviceFloppy size={16} />}
          disabled={!mayWrite || !state.current}
          loading={create.isPending && !running}
          onClick={() =>
            void save().then(
              ({ id }) => openKept(id),
              () => undefined,
            )
          }
        >
          {t("common:save")}
        </Button>
      }
    >
      <UnsavedGuard dirty={spec.text !== initial && !create.isSuccess} text={spec.text} />
      {create.error && <ProblemAlert error={create.error} />}
      <Editor
        spec={spec}
        state={state}
        kinds={kinds}
        search={search}
        onSearch={changeSearch}
        savesFirst
        starting={running}
        startError={null}
        onRun={(clusterId, force) => void run(clusterId, force)}
      />
    </Page>
  );
}
