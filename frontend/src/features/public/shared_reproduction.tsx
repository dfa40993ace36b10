import { Anchor, Stack } from "@mantine/core";
import type { Schemas } from "~/api/types";
import { OurClaimsTable } from "~/reproduction/our_claims_table";
import { ReproducedArticle } from "~/reproduction/reproduced_article";
import { Section } from "~/ui/section";
import type { SubjectProps } from "./subject";

type Article = Schemas["Reproduction"];

/** Articles beside our own figures, as they were shared. */
export function SharedReproduction({ articles }: { articles: readonly Article[] }) {
  return (
    <Stack gap="xl">
      {articles.map((found) => (
        <ReproducedArticle
          key={found.reference_id}
          found={found}
          cited={<Cited article={found} />}
          runs={found.runs.map(({ name }) => name)}
        />
      ))}
    </Stack>
  );
}

/** The same in short, inside of another page: what came of the claims. */
export function EmbeddedReproduction({ content: { reproduction } }: SubjectProps) {
  return reproduction?.map((found) => (
    <Section key={found.reference_id} title={found.subject.text}>
      <OurClaimsTable found={found} />
    </Section>
  ));
}

function Cited({ article: { title, url, language } }: { article: Article }) {
  const named = <span lang={language}>{title}</span>;
  if (!url) return named;
  return (
    <Anchor href={url} target="_blank" rel="noopener noreferrer" inherit underline="always">
      {named}
    </Anchor>
  );
}
