import { Anchor, Container, Group, Stack, Text, Title } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { type ComponentType, useDeferredValue } from "react";
import { useTranslation } from "react-i18next";
import { IMPORT } from "~/api/kinds";
import type { Schemas } from "~/api/types";
import { Brand } from "~/ui/brand";
import { Headline } from "~/ui/headline";
import { LanguageMenu } from "~/ui/language_menu";
import { Moment } from "~/ui/moment";
import { usePageTitle } from "~/ui/page";
import { ThemeMenu } from "~/ui/theme_menu";
import { useAddress } from "./address";
import { MethodBlock } from "./method_block";
import { Outcomes } from "./outcomes";
import { downloadHref, FORMATS } from "./snapshot";
import type { DrawnAnswer, SubjectProps } from "./subject";

/** A frozen copy of what was shared, for anyone who has its link. */
export function SnapshotPage({
  token,
  snapshot,
  Subject,
  Answer,
}: {
  token: string;
  snapshot: Schemas["PublicSnapshot"];
  Subject: ComponentType<SubjectProps>;
  /** The chart that answers the question, where there is one. */
  Answer: DrawnAnswer | null;
}) {
  const { t } = useTranslation("public");
  const [search, onView] = useAddress();
  usePageTitle(snapshot.title);
  const { content } = snapshot;
  // The answer is painted first: what follows it takes several times as long to draw.
  const isWhole = useDeferredValue(true, false);
  const imported = content.run?.run.kind === IMPORT;
  return (
    <Container size="lg" py="md">
      <Group component="header" justify="space-between" mb="lg" wrap="nowrap">
        <Brand />
        <Group gap={4} wrap="nowrap" className="on-screen">
          <LanguageMenu />
          <ThemeMenu />
        </Group>
      </Group>
      <Stack component="main" gap="xl" data-ready={isWhole} aria-busy={!isWhole}>
        <Stack gap="xs">
          <Title order={1}>{snapshot.title}</Title>
          <Text c="dimmed" size="sm">
            {t(`frozen_${content.subject}`)} <Moment at={content.taken_at} />
            {snapshot.expires_at && (
              <>
                {" · "}
                {t("shown_until")} <Moment at={snapshot.expires_at} />
              </>
            )}
          </Text>
          <Outcomes content={content} />
          {imported && <Text fw={500}>{t("imported")}</Text>}
          <Group gap="md" className="on-screen">
            {FORMATS.map((format) => (
              <Anchor key={format} size="sm" href={downloadHref(token, format)} download>
                <Group gap={4}>
                  <IconDownload size={14} aria-hidden />
                  {t(`download.${format}`)}
                </Group>
              </Anchor>
            ))}
          </Group>
        </Stack>
        <Headline
          headline={(content.run ?? content.comparison)?.headline ?? content.summary}
          chart={Answer === null ? undefined : <Answer.Chart {...{ content, search, onView }} />}
          decided={Answer?.Decided && <Answer.Decided content={content} />}
        />
        {isWhole && (
          <>
            <Subject content={content} search={search} onView={onView} />
            <MethodBlock content={content} />
          </>
        )}
      </Stack>
      {isWhole && (
        <Text component="footer" c="dimmed" size="sm" mt="xl">
          {t(imported ? "imported_with" : "measured_with")}
        </Text>
      )}
    </Container>
  );
}
