import { Button, Paper, Stack, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { TrialDetail } from "~/queries/runs";
import { CodeBlock } from "~/ui/code_block";
import { commandLine } from "~/ui/command_line";
import { Facts } from "~/ui/facts";
import { saveText } from "./save_text";
import { trialTime } from "./trial_time";

type Invocation = TrialDetail["invocations"][number];

const OUTPUT_HEIGHT = 320;

/** One execution of a tool, as it was: command, version, exit code, all that it printed. */
export function InvocationView({
  invocation,
  number,
  fileStem,
}: {
  invocation: Invocation;
  number: number;
  fileStem: string;
}) {
  const { t } = useTranslation("runs");
  const name = { tool: invocation.tool, number };
  return (
    <Paper withBorder p="sm" component="section" aria-label={t("invocation", name)}>
      <Stack gap="sm">
        <CodeBlock text={commandLine(invocation.argv)} label={t("command_of", name)} />
        <Facts
          columns={2}
          facts={[
            { term: t("version"), value: invocation.version },
            { term: t("place"), value: invocation.place },
            ...(invocation.exit_code === null
              ? []
              : [{ term: t("exit_code"), value: invocation.exit_code }]),
            ...(invocation.seconds === null
              ? []
              : [{ term: t("tool_time"), value: trialTime(invocation.seconds) }]),
          ]}
        />
        {(["stdout", "stderr"] as const).map((stream) => (
          <Output
            key={stream}
            title={t(stream)}
            text={invocation[stream]}
            label={t(`${stream}_of`, name)}
            fileName={`${fileStem}.${stream}.txt`}
          />
        ))}
      </Stack>
    </Paper>
  );
}

function Output({
  title,
  text,
  label,
  fileName,
}: {
  title: string;
  text: string | null;
  label: string;
  fileName: string;
}) {
  const { t } = useTranslation("runs");
  return (
    <div>
      <Text size="sm" fw={500} mb={4}>
        {title}
      </Text>
      {text ? (
        <CodeBlock
          text={text}
          label={label}
          maxHeight={OUTPUT_HEIGHT}
          actions={
            <Button
              size="xs"
              variant="default"
              leftSection={<IconDownload size={14} />}
              onClick={() => saveText(fileName, text)}
            >
              {t("download")}
            </Button>
          }
        />
      ) : (
        <Text size="sm" c="dimmed">
          {t(text === null ? "output_gone" : "output_empty")}
        </Text>
      )}
    </div>
  );
}
