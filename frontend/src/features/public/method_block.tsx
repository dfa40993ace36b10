import { Code, List, Stack, Text, Title } from "@mantine/core";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { followed } from "~/i18n/punctuation";
import { useWordList } from "~/i18n/words";
import { commandLine } from "~/ui/command_line";
import { Disclosure } from "~/ui/disclosure";

type Content = Schemas["SnapshotContent"];

/** How it was measured: plan, tools with their exact commands, environments, statistics. */
export const MethodBlock = memo(function MethodBlock({ content }: { content: Content }) {
  const { t } = useTranslation("public");
  const { method } = content;
  const listed = useWordList();
  const names = (kinds: string[]) =>
    listed(kinds.map((kind) => t(`replaced_kind.${kind as "node"}`, kind)));
  return (
    <Stack component="section" gap="sm" aria-labelledby="method">
      <Title order={2} size="h3" id="method">
        {t("method")}
      </Title>
      <div>
        <Disclosure title={t("statistics", { version: method.version })}>
          <Text size="sm" maw="75ch">
            {method.statistics}
          </Text>
        </Disclosure>
        {method.runs.map((run) => (
          <RunItem key={run.run_id} run={run} />
        ))}
        {method.environments.map((environment, index) => (
          <Disclosure
            key={JSON.stringify(environment)}
            title={t("environment", { number: index + 1 })}
          >
            <Document
              value={environment.fingerprint}
              label={t("environment", { number: index + 1 })}
            />
          </Disclosure>
        ))}
      </div>
      <Text size="sm">
        {followed(
          content.withheld.length > 0
            ? t("withheld", { names: names(content.withheld) })
            : t("nothing_withheld"),
        )}
        {content.kept.length > 0 && t("kept", { names: names(content.kept) })}
      </Text>
    </Stack>
  );
});

function RunItem({ run }: { run: Schemas["RunMethod"] }) {
  const { t } = useTranslation("public");
  const plan = run.repetition as Record<string, number>;
  const tools = [...new Set(run.commands.map((one) => `${one.tool} ${one.version}`))].sort();
  return (
    <Disclosure title={t("of_run", { name: run.name })}>
      <Stack gap="sm">
        {/* An import has no plan: the 0 s of its trials stand for that. */}
        {plan.seconds !== 0 && (
          <Text size="sm">
            {t("plan", {
              trials: plan.trials,
              rounds: plan.rounds,
              warmup: plan.warmup,
              seed: plan.seed,
            })}
          </Text>
        )}
        <Text size="sm">{t("tools", { tools: tools.join(", ") || t("no_tools") })}</Text>
        <Title order={3} size="sm">
          {t("commands")}
        </Title>
        <List size="sm" spacing={4}>
          {run.commands.map((one) => (
            <List.Item key={one.argv.join(" ")}>
              <Code>{commandLine(one.argv)}</Code> {t("times", { count: one.count })}
            </List.Item>
          ))}
        </List>
        {!run.complete && <Text size="sm">{t("more_commands")}</Text>}
        <Title order={3} size="sm">
          {t("parameters")}
        </Title>
        <Document value={{ parameters: run.parameters, axes: run.axes }} label={t("parameters")} />
      </Stack>
    </Disclosure>
  );
}

function Document({ value, label }: { value: unknown; label: string }) {
  return (
    <Code
      block
      tabIndex={0}
      role="region"
      aria-label={label}
      mah={420}
      style={{ overflow: "auto" }}
    >
      {JSON.stringify(value, null, 2)}
    </Code>
  );
}
