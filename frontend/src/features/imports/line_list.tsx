import { Alert, Box, Button, Group, Stack, Text, Title, UnstyledButton } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { PastedLines, Preview, RecognisedOutput } from "~/queries/imports";
import classes from "./paste_field.module.css";
import { sectionsOf } from "./texts";

/** What each line of the paste is; a click shows the lines in the field. */
export function LineList({
  preview,
  onGo,
  onRemark,
}: {
  preview: Preview;
  /** Show these lines. */
  onGo: (first: number, last: number) => void;
  /** Make a line a remark, which is not read. */
  onRemark: (line: number) => void;
}) {
  const { t } = useTranslation("imports");
  const { refused } = preview;
  return (
    <Stack gap="xs" component="section" aria-label={t("reading")}>
      <Title order={2} size="h4">
        {t("reading")}
      </Title>
      {refused && (
        <Alert
          role="alert"
          color="red"
          variant="light"
          icon={<IconAlertTriangle />}
          title={t("refused_line", { line: refused.line })}
        >
          <Stack gap="xs">
            <Text size="sm" ff="monospace" style={{ overflowWrap: "anywhere" }}>
              {refused.text}
            </Text>
            <Text size="sm" className={classes.why}>
              {refused.why.text}
            </Text>
            <Group gap="xs">
              <Button size="xs" variant="default" onClick={() => onGo(refused.line, refused.line)}>
                {t("to_line", { line: refused.line })}
              </Button>
              {refused.why.code === "paste_unknown" && (
                <Button size="xs" variant="default" onClick={() => onRemark(refused.line)}>
                  {t("make_remark")}
                </Button>
              )}
            </Group>
          </Stack>
        </Alert>
      )}
      {preview.lines.length > 0 && (
        <ol className={classes.list} aria-label={t("line_list")}>
          {preview.lines.map((one) => (
            <li key={one.first_line}>
              <LineRow one={one} outputs={preview.outputs} onGo={onGo} />
            </li>
          ))}
        </ol>
      )}
    </Stack>
  );
}

function LineRow({
  one,
  outputs,
  onGo,
}: {
  one: PastedLines;
  outputs: readonly RecognisedOutput[];
  onGo: (first: number, last: number) => void;
}) {
  const { t } = useTranslation("imports");
  const { first_line: first, last_line: last, kind } = one;
  const told = one.outputs.flatMap((number) => outputs[number - 1] ?? []);
  const [output] = told;
  const connection = output?.connections[0];
  const title = kind === "around" ? sectionsOf(one.text)[0] : undefined;
  return (
    <UnstyledButton
      className={classes.row}
      mod={{ kind, even: (one.outputs[0] ?? 1) % 2 === 0 }}
      onClick={() => onGo(first, last)}
    >
      <Text span size="sm" c="dimmed">
        {first === last ? t("line_one", { line: first }) : t("line_span", { first, last })}
      </Text>
      <Box component="span">
        <Text
          span
          size="sm"
          fw={title || kind === "output" || kind === "refused" ? 600 : undefined}
        >
          {output
            ? t("kind_output", { outputs: one.outputs.join(" + "), tool: output.tool })
            : title
              ? t("kind_title", { name: title.name })
              : t(`kind_${kind as Exclude<typeof kind, "output">}`)}
        </Text>
        {connection && (
          <Text span size="xs" c="dimmed" display="block" style={{ overflowWrap: "anywhere" }}>
            {connection.local} → {connection.remote}
            {(output?.connections.length ?? 0) > 1 &&
              ` ${t("more_connections", { count: (output?.connections.length ?? 1) - 1 })}`}
          </Text>
        )}
      </Box>
      <span className={classes.first}>{one.text}</span>
    </UnstyledButton>
  );
}
