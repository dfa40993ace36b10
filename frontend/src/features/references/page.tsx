import { Alert, Anchor, Badge, List, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { bracketed } from "~/i18n/punctuation";
import { useWordList, useWords } from "~/i18n/words";
import { type ReferenceDocument, referenceOptions } from "~/queries/references";
import { Facts } from "~/ui/facts";
import { ButtonLink } from "~/ui/link";
import { Loaded } from "~/ui/loaded";
import { isMissing, Missing } from "~/ui/missing";
import { Page } from "~/ui/page";
import { Section } from "~/ui/section";
import { ClaimsTable } from "./claims_table";
import { PublishedTables } from "./published_tables";

/** One published result set: where it is from, its claims, its tables. */
export function ReferencePage() {
  const { t } = useTranslation("references");
  const { referenceId } = useParams({ from: "/inside/references/$referenceId" });
  const reference = useQuery(referenceOptions(referenceId));
  if (isMissing(reference.error)) return <Missing what="reference" />;
  const { data } = reference;
  return (
    <Page
      title={data === undefined ? t("title") : data.subject}
      status={
        <Badge color="violet" variant="light" tt="none">
          {t("published")}
        </Badge>
      }
      actions={
        data !== undefined &&
        isComparable(data) && (
          <ButtonLink to="/compare" search={{ reference: { id: referenceId } }} variant="default">
            {t("compare")}
          </ButtonLink>
        )
      }
      ready={!reference.isPending}
    >
      <Loaded query={reference} lines={8}>
        {(found) => (
          <Stack gap="xl">
            <Citation reference={found} />
            {found.doubts.length > 0 && <Doubts reference={found} />}
            {found.claims.length > 0 && (
              <Section title={t("claims_title")}>
                <ClaimsTable reference={found} />
              </Section>
            )}
            <Section title={t("tables_title")}>
              <PublishedTables reference={found} />
            </Section>
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

/** Whether a metric of Podmeter's is the same thing as one of its figures. */
function isComparable({ tables }: ReferenceDocument): boolean {
  return tables.some(({ rows }) =>
    rows.some(({ cells }) => cells.some(({ metric }) => metric != null)),
  );
}

/** Where the figures are from, and what they were measured on. */
function Citation({ reference }: { reference: ReferenceDocument }) {
  const { t, i18n } = useTranslation("references");
  const word = useWords();
  const listed = useWordList();
  const { url, revision, repetitions } = reference;
  const named = (key: string) => {
    const known = `references:env_${key}`;
    return i18n.exists(known) ? (t as (key: string) => string)(`env_${key}`) : key;
  };
  const facts = [
    {
      term: t("source"),
      value: (
        <>
          <span lang={reference.language}>{reference.title}</span>
          {url && (
            <Text size="sm" style={{ overflowWrap: "anywhere" }}>
              <Anchor href={url} rel="noreferrer" inherit underline="always">
                {url}
              </Anchor>
              {revision && bracketed("", revision)}
            </Text>
          )}
        </>
      ),
    },
    { term: t("author"), value: reference.author || t("none") },
    { term: t("date"), value: reference.published || t("none") },
    { term: t("kinds"), value: listed(reference.kinds.map((kind) => word("kind", kind))) },
    {
      term: t("repetitions"),
      // Chinese has no form for one.
      value:
        repetitions === 1 ? t("repetitions_once") : t("repetitions_value", { count: repetitions }),
    },
    ...Object.entries(reference.environment).map(([key, value]) => ({
      term: named(key),
      value: <span lang={reference.language}>{value}</span>,
    })),
  ];
  return (
    <Stack gap="sm">
      <Facts facts={facts} />
      {reference.note && <Text size="sm">{reference.note}</Text>}
      <Text size="sm" c="dimmed">
        {t("untested")}
      </Text>
    </Stack>
  );
}

/** Why figures are doubtful; the tables point here. */
function Doubts({ reference }: { reference: ReferenceDocument }) {
  const { t } = useTranslation("references");
  return (
    <Alert role="note" color="orange" icon={<IconAlertTriangle />} title={t("doubts")}>
      <List type="ordered" size="sm">
        {reference.doubts.map((doubt, index) => (
          <List.Item key={doubt} id={`doubt-${index + 1}`}>
            {doubt}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
