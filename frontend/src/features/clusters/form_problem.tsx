import { Alert } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { type Fault, ProblemError } from "~/api/problem";
import { ProblemAlert } from "~/ui/problem_alert";

export function faultsOf(error: Error | null): Fault[] {
  return error instanceof ProblemError ? (error.problem.errors ?? []) : [];
}

/** The problems of a form; if its fields show all of them, only a reference to the fields. */
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
