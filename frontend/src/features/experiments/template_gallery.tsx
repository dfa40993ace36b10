import { Badge, Card, Group, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";
import { useTranslation } from "react-i18next";
import { useWords } from "~/i18n/words";
import type { Kind } from "~/queries/kinds";
import { AnchorLink } from "~/ui/link";
import { useExplained } from "./explained";
import { BLANK, mainMetrics, READY_MADE, READY_MADE_NAMES } from "./templates";

/** What an experiment can start from: the articles' experiments, each kind whole, or nothing. */
export function TemplateGallery({
  kinds,
  cluster,
}: {
  kinds: readonly Kind[];
  /** The id of the cluster that it is to be defined for, if it is known already. */
  cluster?: string;
}) {
  const { t } = useTranslation("experiments");
  const word = useWords();
  const explained = useExplained();
  const offered: string[] = kinds.map(({ name }) => name);
  const readyMade = READY_MADE_NAMES.filter((name) => offered.includes(READY_MADE[name].kind));
  return (
    <Stack gap="xl">
      <Shelf title={t("ready_made")}>
        {readyMade.map((name) => (
          <TemplateCard
            key={name}
            template={name}
            cluster={cluster}
            title={t(`template.${name}.title`)}
            kind={READY_MADE[name].kind}
          >
            <Text size="sm">{t(`template.${name}.about`)}</Text>
          </TemplateCard>
        ))}
      </Shelf>
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
                  .join(t("list_separator")),
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
  const view = template === BLANK ? ({ view: "yaml" } as const) : {};
  return (
    <Card withBorder padding="md">
      <Stack gap="xs" h="100%">
        <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
          <AnchorLink to="/experiments/new" search={{ template, cluster, ...view }} fw={600}>
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
