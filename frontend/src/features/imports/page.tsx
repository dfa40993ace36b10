import { Alert, Button, Group, Loader, Stack, Text, TextInput } from "@mantine/core";
import { IconArrowsDiff, IconDeviceFloppy } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "~/queries/accounts";
import { useCompare } from "~/queries/comparisons";
import { type Environment, type RecognisedOutput, useKeepImport } from "~/queries/imports";
import { Page } from "~/ui/page";
import { ProblemAlert } from "~/ui/problem_alert";
import { useFaultAt } from "~/ui/use_fault_at";
import { useDraft } from "./draft";
import { FIELDS, NOTHING_GIVEN, withReported } from "./environment";
import { EnvironmentFields } from "./environment_fields";
import { LineList } from "./line_list";
import { OutputsTable } from "./outputs_table";
import { LINE_PX, PasteField } from "./paste_field";
import {
  casesOf,
  comparisonOf,
  lineSpan,
  type Placed,
  placedOutputs,
  stillPlaced,
  variantsOf,
} from "./placing";
import { overTitles, variantsByTitle } from "./texts";
import { usePreview } from "./use_preview";

/** `/imports`: paste and see what it is, say where it was measured, keep it as a run. */
export function ImportsPage() {
  const { t } = useTranslation("imports");
  const navigate = useNavigate();
  const may = useMe().may("operator");
  const keep = useKeepImport();
  const compare = useCompare();
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useDraft();
  const [name, setName] = useState("");
  const [environment, setEnvironment] = useState<Environment>(NOTHING_GIVEN);
  const [chosen, setChosen] = useState<string[]>(["path"]);
  const [written, setWritten] = useState<Placed>({});
  const { preview, current, busy, error } = usePreview(text, may);

  /** The outputs that were recognised last: what was written is of them. */
  const known = useRef<readonly RecognisedOutput[]>([]);
  useEffect(() => {
    if (!current || preview === undefined) return;
    // What the outputs say of where they were measured, where nothing was written yet.
    setEnvironment((before) => withReported(before, preview.environment));
    setWritten((before) => stillPlaced(before, known.current, preview.outputs));
    known.current = preview.outputs;
  }, [current, preview]);

  const outputs = preview?.outputs ?? [];
  const byTitle = variantsByTitle(text, outputs);
  const titled = Object.keys(byTitle).length > 0;
  const shown = titled && !chosen.includes("variant") ? [...chosen, "variant"] : chosen;
  const placed = overTitles(byTitle, written);
  const sent = placedOutputs(outputs, preview?.axes ?? [], shown, placed);
  const variants = variantsOf(outputs, sent);
  const whole = current && preview !== undefined && preview.refused === null && outputs.length > 0;

  const faultAt = useFaultAt(keep.error);
  const faultOfCell = (output: number, axis: string) =>
    faultAt(`/outputs/${sent.findIndex((one) => one.output === output)}/at/${axis}`);
  const pointers = [
    "/name",
    ...[...FIELDS, "notes"].map((one) => `/environment/${one}`),
    ...sent.flatMap(({ at }, index) =>
      Object.keys(at).map((axis) => `/outputs/${index}/at/${axis}`),
    ),
  ];

  function change(next: string) {
    keep.reset();
    setText(next);
  }

  function go(first: number, last: number) {
    const area = field.current;
    if (area === null) return;
    area.focus();
    area.setSelectionRange(lineSpan(text, first)[0], lineSpan(text, last)[1]);
    area.scrollTop = (first - 3) * LINE_PX;
  }

  function makeRemark(line: number) {
    const [begin] = lineSpan(text, line);
    change(`${text.slice(0, begin)}# ${text.slice(begin)}`);
    field.current?.focus();
  }

  function save(andCompare: boolean) {
    keep.mutate(
      { name, text, environment, outputs: sent },
      {
        onSuccess: ({ id }) => {
          setText("");
          const toRun = () =>
            void navigate({
              to: "/runs/$runId",
              params: { runId: id },
              search: { tab: "results" },
            });
          if (!andCompare) return toRun();
          compare.mutate(comparisonOf(id, variants), {
            onSuccess: (made) =>
              void navigate({ to: "/compare/$comparisonId", params: { comparisonId: made.id } }),
            // It is kept: its page shows the variants beside each other as well.
            onError: toRun,
          });
        },
      },
    );
  }

  const saving = keep.isPending || compare.isPending;
  return (
    <Page title={t("title")} subtitle={<Text c="dimmed">{t("text")}</Text>}>
      {!may && (
        <Alert role="note" color="yellow" variant="light">
          {t("not_allowed")}
        </Alert>
      )}
      <PasteField
        text={text}
        lines={current && preview ? preview.lines : []}
        field={field}
        error={
          current && preview?.refused
            ? t("refused_line", { line: preview.refused.line })
            : undefined
        }
        onChange={change}
      />
      <Group gap="xs" role="status" mih="1.5rem">
        {busy && <Loader size={14} aria-hidden />}
        <Text size="sm" c="dimmed">
          {busy ? t("busy") : current && preview ? t("recognised", { count: outputs.length }) : ""}
        </Text>
      </Group>
      {error && <ProblemAlert error={error} />}
      {current && preview && <LineList preview={preview} onGo={go} onRemark={makeRemark} />}
      {preview && outputs.length > 0 && (
        <Stack gap="xl" aria-busy={!current} style={current ? undefined : { opacity: 0.6 }}>
          <OutputsTable
            preview={preview}
            shown={shown}
            placed={placed}
            faultAt={faultOfCell}
            onShow={setChosen}
            onPlace={setWritten}
          />
          <EnvironmentFields
            environment={environment}
            faultAt={(one) => faultAt(`/environment/${one}`)}
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
          <Stack gap="xs">
            <Text size="sm">
              {whole
                ? t("will_keep", {
                    cases: t("cases", { count: casesOf(outputs, sent) }),
                    trials: t("trials", { count: outputs.length }),
                  })
                : t("will_not_keep")}
              {whole && variants.length > 1 && ` ${t("variants", { names: variants.join(", ") })}`}
            </Text>
            <Group>
              <Button
                leftSection={<IconDeviceFloppy size={16} />}
                variant={variants.length > 1 ? "default" : "filled"}
                loading={saving}
                disabled={!may || !whole || name.trim() === ""}
                onClick={() => save(false)}
              >
                {t("keep")}
              </Button>
              {variants.length > 1 && (
                <Button
                  leftSection={<IconArrowsDiff size={16} />}
                  loading={saving}
                  disabled={!may || !whole || name.trim() === ""}
                  onClick={() => save(true)}
                >
                  {t("keep_and_compare")}
                </Button>
              )}
            </Group>
          </Stack>
        </Stack>
      )}
    </Page>
  );
}
