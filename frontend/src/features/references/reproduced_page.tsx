import { Stack, Text } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ShareLink } from "~/list_tools/share_link";
import { useMe } from "~/queries/accounts";
import { type Reproduction, reproductionOptions } from "~/queries/references";
import { articleChoicesText, parseArticleChoices } from "~/queries/reproduced";
import { ReproducedArticle } from "~/reproduction/reproduced_article";
import { AnchorLink } from "~/ui/link";
import { Loaded } from "~/ui/loaded";
import { Page } from "~/ui/page";

/** `/references/reproduced`: each article's tables with ours beside them, its claims of our figures. */
export function ReproducedPage() {
  const { t } = useTranslation("references");
  const { of } = useSearch({ from: "/inside/references/reproduced" });
  const { may } = useMe();
  const articles = parseArticleChoices(of ?? "");
  const found = useQueries({
    queries: articles.map(({ reference, runs }) => reproductionOptions(reference, runs)),
  });
  return (
    <Page
      title={t("reproduced_title")}
      subtitle={<Text c="dimmed">{t("reproduced_subtitle")}</Text>}
      ready={found.every((one) => !one.isPending)}
      actions={
        may("operator") &&
        articles.length > 0 && <ShareLink of="reproduction" id={articleChoicesText(articles)} />
      }
    >
      <Stack gap="xl">
        {found.map((query, index) => (
          <Loaded key={articles[index]?.reference} query={query} lines={8}>
            {(one) => <Reproduced found={one} />}
          </Loaded>
        ))}
        {articles.length === 0 && <Text>{t("reproduced_nothing")}</Text>}
      </Stack>
    </Page>
  );
}

function Reproduced({ found }: { found: Reproduction }) {
  return (
    <ReproducedArticle
      found={found}
      cited={
        <AnchorLink
          to="/references/$referenceId"
          params={{ referenceId: found.reference_id }}
          inherit
          underline="always"
        >
          <span lang={found.language}>{found.title}</span>
        </AnchorLink>
      }
      runs={found.runs.map(({ run_id, name }) => (
        <AnchorLink
          key={run_id}
          to="/runs/$runId"
          params={{ runId: run_id }}
          inherit
          underline="always"
        >
          {name}
        </AnchorLink>
      ))}
    />
  );
}
