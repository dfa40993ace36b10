import { Alert, Button, List, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconPlugConnectedX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { ProblemError, UnreachableError } from "~/api/problem";
import { useWords } from "~/i18n/words";
import { ButtonLink } from "./link";

/** Where a stored document that cannot be read any more is computed again. */
const AGAIN = {
  comparison: "/compare",
  preflight_report: "/clusters",
  fingerprint: "/clusters",
  experiment: "/experiments/new",
  run: "/experiments",
} as const;

/** What went wrong, where, and how to fix it. `shownPointers` are said at their fields already. */
export function ProblemAlert({
  error,
  retry,
  shownPointers = [],
}: {
  error: Error;
  retry?: () => void;
  shownPointers?: readonly string[];
}) {
  const { t } = useTranslation();
  const words = useWords();
  const problem = error instanceof ProblemError ? error.problem : null;
  const unreachable = error instanceof UnreachableError;
  const document = problem?.document ?? "";
  const faults = (problem?.errors ?? []).filter(
    (fault) => fault.pointer == null || !shownPointers.includes(fault.pointer),
  );
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      icon={unreachable ? <IconPlugConnectedX /> : <IconAlertTriangle />}
      title={
        problem ? words("problem", problem.status) : t(unreachable ? "unreachable" : "failed_page")
      }
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{problem ? problem.message.text : error.message}</Text>
        {faults.length > 0 && (
          <List size="sm" spacing={4}>
            {faults.map((fault) => (
              <List.Item key={`${fault.pointer ?? fault.parameter ?? fault.header}${fault.detail}`}>
                {fault.pointer ?? fault.parameter ?? fault.header} {fault.message.text}
                {fault.mend && (
                  <Text size="sm" c="dimmed">
                    {fault.mend.text}
                  </Text>
                )}
              </List.Item>
            ))}
          </List>
        )}
        {document in AGAIN && (
          <ButtonLink to={AGAIN[document as keyof typeof AGAIN]} size="xs">
            {t(`compute_again.${document as keyof typeof AGAIN}`)}
          </ButtonLink>
        )}
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            {t("try_again")}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
