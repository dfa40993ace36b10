import { Badge, Card, Group, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import { useTranslation } from "react-i18next";
import { useExplained } from "~/i18n/explained";
import { useWords } from "~/i18n/words";
import type { Kind } from "~/queries/kinds";
import { templatesOptions } from "~/queries/templates";
import { AnchorLink } from "~/ui/link";
import { Loaded } from "~/ui/loaded";
import { BLANK, mainMetrics } from "./templates";

/** What an experiment can start from: the articles' experiments, each kind whole, or nothing. */
export function TemplateGallery({
  kinds,
  cluster,
}: {
  kinds: readonly Kind[];
  /** The id of the cluster to define it for, if already known. */
  cluster?: string;
}) {
  const { t } = useTranslation("experiments");
  const word = useWords();
  const explained = useExplained();
  const templates = useQuery(templatesOptions);
  return (
    <Stack gap="xl">
      <Loaded query={templates}>
        {(ready) => (
          <Shelf title={t("ready_made")}>
            {ready.map((one) => (
              <TemplateCard
                key={one.id}
                template={one.id}
                cluster={cluster}
                title={one.title}
                kind={one.kind}
              >
                <Text size="sm">{one.question}</Text>
                {one.narrowed && (
                  <Text size="xs" c="dimmed">
                    {t("narrowed", { what: one.narrowed })}
                  </Text>
                )}
                {one.published && (
                  <AnchorLink
                    to="/experiments/new"
                    search={{ template: one.id, values: "published", cluster }}
                    size="sm"
                  >
                    {t("published_values")}
                  </AnchorLink>
                )}
                {one.reference_id && (
                  <AnchorLink
                    to="/references/$referenceId"
                    params={{ referenceId: one.reference_id }}
                    size="sm"
                  >
                    {t("published_article")}
                  </AnchorLink>
                )}
              </TemplateCard>
            ))}
          </Shelf>
        )}
      </Loaded>
      <Shelf title={t("by_kind")}>
        {kinds.map((kind) => (
          <TemplateCard
            key={kind.name}
            template={kind.name}
            cluster={cluster}
            title={word("kind", kind.name)}
          >
            <Text size="sm">{explained("kind_description", kind.name, kind.description)}</Text>
            <Text size="xs" c="dimmed">
              {t("measures", {
                metrics: mainMetrics(kind)
                  .map(({ name }) => word("metric", name))
                  .join(" · "),
              })}
            </Text>
          </TemplateCard>
        ))}
        <TemplateCard template={BLANK} cluster={cluster} title={t("blank")}>
          <Text size="sm">{t("blank_about")}</Text>
        </TemplateCard>
      </Shelf>
    </Stack>
  );
}

function Shelf({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Title order={2} size="h4" mb="sm" id={id}>
        {title}
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>{children}</SimpleGrid>
    </section>
  );
}

function TemplateCard({
  template,
  cluster,
  title,
  kind,
  children,
}: {
  template: string;
  cluster: string | undefined;
  title: string;
  kind?: string;
  children: ReactNode;
}) {
  const word = useWords();
  const view = template === BLANK ? "yaml" : "guide";
  return (
    <Card withBorder padding="md">
      <Stack gap="xs" h="100%">
        <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
          <AnchorLink to="/experiments/new" search={{ template, cluster, view }} fw={600}>
            {title}
          </AnchorLink>
          {kind && (
            <Badge variant="light" color="gray" tt="none" miw="fit-content">
              {word("kind", kind)}
            </Badge>
          )}
        </Group>
        {children}
      </Stack>
    </Card>
  );
}
