import { Alert, Group, List, Paper, Skeleton, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { Suspense, useId, useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Kind } from "~/queries/kinds";
import { CopyButton } from "~/ui/copy_button";
import { PartBoundary } from "~/ui/failed_part";
import { lazyPart } from "~/ui/lazy_part";
import { type SpecFault, textFaults } from "./faults";
import { useFaultText } from "./use_fault_text";
import type { Spec } from "./use_spec";
import { useVocabulary } from "./use_vocabulary";

const YamlEditor = lazyPart(() => import("./yaml_editor"), "YamlEditor");

const HAS_COMMENT = /(^|\s)#/m;

/** The specification as YAML, with everything that is wrong with it by line. */
export function YamlPanel({
  spec,
  faults,
  kinds,
  clusterNames,
}: {
  spec: Spec;
  faults: readonly SpecFault[];
  kinds: readonly Kind[];
  clusterNames: readonly string[];
}) {
  const { t } = useTranslation("experiments");
  const hint = useId();
  const { document, text, setText } = spec;
  const say = useFaultText();
  const found = useMemo(() => textFaults(document, faults, say), [document, faults, say]);
  const vocabulary = useVocabulary(kinds, clusterNames);
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed" id={hint} style={{ flex: "1 1 12rem" }}>
          {t(HAS_COMMENT.test(text) ? "yaml_comments_hint" : "yaml_hint")}
        </Text>
        <CopyButton text={text} label={t("copy_yaml")} />
      </Group>
      <Paper withBorder style={{ overflow: "hidden" }}>
        <PartBoundary>
          <Suspense fallback={<Skeleton height="20rem" />}>
            <YamlEditor
              label={t("yaml")}
              describedBy={hint}
              text={text}
              faults={found}
              vocabulary={vocabulary}
              onChange={setText}
            />
          </Suspense>
        </PartBoundary>
      </Paper>
      <div aria-live="polite">
        {found.length > 0 && (
          <Alert color="red" variant="light" icon={<IconAlertTriangle />}>
            <List size="sm" spacing={4}>
              {found.map(({ line, from, message }) => (
                <List.Item key={`${from}${message}`}>{t("on_line", { line, message })}</List.Item>
              ))}
            </List>
          </Alert>
        )}
      </div>
    </Stack>
  );
}
