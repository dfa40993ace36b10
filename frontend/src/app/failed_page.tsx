import { Anchor, Container, Text } from "@mantine/core";
import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { FailedPart } from "~/ui/failed_part";
import { NotLoadedError } from "~/ui/lazy_part";
import { Page, usePageTitle } from "~/ui/page";

/** What failed outside the application's frame. */
export function FailedPage(props: ErrorComponentProps) {
  return (
    <Container component="main" py="xl">
      <FailedContent {...props} />
    </Container>
  );
}

/** In the place of a page that failed, inside the application's frame. */
export function FailedContent(props: ErrorComponentProps) {
  const { t } = useTranslation(["common", "frame"]);
  const isNotLoaded = props.error instanceof NotLoadedError;
  usePageTitle(isNotLoaded ? t("frame:page_not_loaded") : t("failed_page"));
  return (
    <div data-ready="true" data-failed={!isNotLoaded || undefined}>
      <FailedPart {...props} title={t("frame:page_not_loaded")} />
    </div>
  );
}

/** An address that no page has, inside the application's frame. */
export function UnknownPage() {
  const { t } = useTranslation(["common", "frame"]);
  return (
    <Page title={t("frame:missing_title")}>
      <Text c="dimmed">{t("frame:missing_text")}</Text>
      <Anchor component={Link} to="/">
        {t("to_overview")}
      </Anchor>
    </Page>
  );
}
