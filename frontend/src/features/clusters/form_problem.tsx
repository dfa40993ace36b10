import { Alert } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { type Fault, ProblemError } from "~/api/problem";
import { ProblemAlert } from "~/ui/problem_alert";

export function faultsOf(error: Error | null): Fault[] {
  return error instanceof ProblemError ? (error.problem.errors ?? []) : [];
}

/** What stands against a form; where its fields say it all, only that they do. */
export function FormProblem({ error, atFields }: { error: Error | null; atFields: string[] }) {
  const { t } = useTranslation("clusters");
  if (error === null) return null;
  const faults = faultsOf(error);
  const elsewhere = faults.some(({ pointer }) => pointer == null || !atFields.includes(pointer));
  if (faults.length === 0 || elsewhere) {
    return <ProblemAlert error={error} shownPointers={atFields} />;
  }
  return (
    <Alert role="alert" color="red" variant="light" icon={<IconAlertTriangle />}>
      {t("see_fields")}
    </Alert>
  );
}
