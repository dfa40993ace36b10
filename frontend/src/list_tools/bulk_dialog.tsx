import { Button, Group, List, Modal, Stack, Text } from "@mantine/core";
import { IconCheck, IconCircleDashed, IconX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ProblemError } from "~/api/problem";
import { type Results, useBulk } from "./use_bulk";

export interface Chosen {
  id: string;
  name: string;
}

/** Does the same to everything chosen, once asked and answered, and tells what came of each. */
export function BulkDialog({
  title,
  text,
  action,
  color,
  ready = true,
  chosen,
  act,
  onDone,
  onClose,
  children,
}: {
  title: string;
  text?: string;
  /** What the button does. */
  action: string;
  color?: string;
  ready?: boolean;
  chosen: readonly Chosen[];
  act: (id: string) => Promise<void>;
  /** Once all were tried. */
  onDone: (results: Results) => void;
  onClose: () => void;
  children?: ReactNode;
}) {
  const { t } = useTranslation(["finding", "common"]);
  const { run, results, pending } = useBulk(act);
  const over = results !== null && !pending;
  const failed = [...(results?.values() ?? [])].filter((error) => error !== null).length;
  return (
    <Modal
      opened
      onClose={() => pending || onClose()}
      title={title}
      closeButtonProps={{ "aria-label": t("common:close"), disabled: pending }}
    >
      <Stack>
        {text && <Text size="sm">{text}</Text>}
        {results === null && children}
        <List listStyleType="none" withPadding={false} spacing={4} size="sm">
          {chosen.map(({ id, name }) => (
            <List.Item key={id}>
              <Group gap="xs" wrap="nowrap" align="flex-start">
                {results && <Sign result={results.get(id)} />}
                <div>
                  {name}
                  {results?.get(id) && <Why error={results.get(id) as Error} />}
                </div>
              </Group>
            </List.Item>
          ))}
        </List>
        <Text size="sm" role="status">
          {over && t("bulk_over", { done: results.size - failed, failed })}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" disabled={pending} onClick={onClose} data-autofocus>
            {t(over ? "common:close" : "common:cancel")}
          </Button>
          {!over && (
            <Button
              color={color}
              disabled={!ready}
              loading={pending}
              onClick={() => void run(chosen.map(({ id }) => id)).then(onDone)}
            >
              {action}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

function Sign({ result }: { result: Error | null | undefined }) {
  const { t } = useTranslation("finding");
  if (result === undefined) return <IconCircleDashed size={18} aria-label={t("bulk_waits")} />;
  if (result === null) {
    return <IconCheck size={18} color="var(--mantine-color-green-7)" aria-label={t("bulk_done")} />;
  }
  return <IconX size={18} color="var(--mantine-color-error)" aria-label={t("bulk_failed")} />;
}

function Why({ error }: { error: Error }) {
  const { t } = useTranslation();
  return (
    <Text size="sm" c="var(--mantine-color-error)">
      {error instanceof ProblemError ? error.problem.message.text : t("unreachable")}
    </Text>
  );
}
