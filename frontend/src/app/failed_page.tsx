import { Anchor, Container } from "@mantine/core";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { Link, useRouter } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { EmptyState } from "~/ui/empty_state";
import { usePageTitle } from "~/ui/page";
import { ProblemAlert } from "~/ui/problem_alert";

export function FailedPage({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation();
  const router = useRouter();
  usePageTitle(t("failed_page"));
  return (
    <Container component="main" py="xl" data-ready="true">
      <ProblemAlert
        error={error instanceof Error ? error : new Error(String(error))}
        retry={() => {
          reset();
          void router.invalidate();
        }}
      />
    </Container>
  );
}

export function UnknownPage() {
  const { t } = useTranslation();
  usePageTitle(t("unknown_page"));
  return (
    <Container component="main" py="xl" data-ready="true">
      <EmptyState
        title={t("unknown_page")}
        action={
          <Anchor component={Link} to="/">
            {t("to_overview")}
          </Anchor>
        }
      >
        {t("unknown_page_text")}
      </EmptyState>
    </Container>
  );
}
