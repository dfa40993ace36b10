import { Alert, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconDeviceFloppy } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "~/queries/accounts";
import {
  type Environment,
  type RecognisedOutput,
  useKeepImport,
  useRecognise,
} from "~/queries/imports";
import { Page } from "~/ui/page";
import { ProblemAlert } from "~/ui/problem_alert";
import { useFaultAt } from "~/ui/use_fault_at";
import { useDraft } from "./draft";
import { FIELDS, NOTHING_GIVEN, withTold } from "./environment";
import { EnvironmentFields } from "./environment_fields";
import { OutputsTable } from "./outputs_table";
import { PasteField } from "./paste_field";
import { type Placed, placedOutputs, stillPlaced } from "./placing";

/** `/imports`: paste, see what was recognised, say where it was measured, keep it as a run. */
export function ImportsPage() {
  const { t } = useTranslation("imports");
  const navigate = useNavigate();
  const may = useMe().may("operator");
  const recognise = useRecognise();
  const keep = useKeepImport();
  const [text, setText] = useDraft();
  const [name, setName] = useState("");
  const [environment, setEnvironment] = useState<Environment>(NOTHING_GIVEN);
  const [shown, setShown] = useState<string[]>(["path"]);
  const [placed, setPlaced] = useState<Placed>({});
  /** The outputs that were recognised last: what was placed is of them. */
  const [known, setKnown] = useState<readonly RecognisedOutput[]>([]);
  const preview = recognise.data;
  const current = preview !== undefined && recognise.variables?.text === text;
  const sent = current ? placedOutputs(preview.outputs, preview.axes, shown, placed) : [];

  const faultAt = useFaultAt(keep.error);
  const faultOfCell = (output: number, axis: string) =>
    faultAt(`/outputs/${sent.findIndex((one) => one.output === output)}/at/${axis}`);
  const pointers = [
    "/name",
    ...[...FIELDS, "notes"].map((field) => `/environment/${field}`),
    ...sent.flatMap(({ at }, index) =>
      Object.keys(at).map((axis) => `/outputs/${index}/at/${axis}`),
    ),
  ];

  function look() {
    keep.reset();
    recognise.mutate(
      { text },
      {
        onSuccess: (found) => {
          // What the outputs say of where they were measured, where nothing was written yet.
          setEnvironment((written) => withTold(written, found.environment));
          setPlaced((written) => stillPlaced(written, known, found.outputs));
          setKnown(found.outputs);
        },
      },
    );
  }

  function save() {
    keep.mutate(
      { name, text, environment, outputs: sent },
      {
        onSuccess: ({ id }) => {
          setText("");
          void navigate({ to: "/runs/$runId", params: { runId: id }, search: { tab: "results" } });
        },
      },
    );
  }

  return (
    <Page title={t("title")} subtitle={<Text c="dimmed">{t("text")}</Text>}>
      <PasteField
        text={text}
        error={recognise.error}
        busy={recognise.isPending}
        may={may}
        onChange={(next) => {
          setText(next);
          if (recognise.isError) recognise.reset();
        }}
        onRecognise={look}
      />
      {recognise.error && <ProblemAlert error={recognise.error} shownPointers={["/text"]} />}
      {preview && !current && (
        <Alert role="status" color="yellow" variant="light">
          {t("stale")}
        </Alert>
      )}
      {current && (
        <Stack gap="xl">
          <OutputsTable
            preview={preview}
            shown={shown}
            placed={placed}
            faultAt={faultOfCell}
            onShow={setShown}
            onPlace={setPlaced}
          />
          <EnvironmentFields
            environment={environment}
            faultAt={(field) => faultAt(`/environment/${field}`)}
            onChange={setEnvironment}
          />
          <TextInput
            label={t("name")}
            value={name}
            maxLength={200}
            maw="40rem"
            error={faultAt("/name")}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {keep.error && <ProblemAlert error={keep.error} shownPointers={pointers} />}
          <Group>
            <Button
              leftSection={<IconDeviceFloppy size={16} />}
              loading={keep.isPending}
              disabled={!may || name.trim() === ""}
              onClick={save}
            >
              {t("keep")}
            </Button>
          </Group>
        </Stack>
      )}
    </Page>
  );
}
