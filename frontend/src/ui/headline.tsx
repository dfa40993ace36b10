import { Anchor, Box, List, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { labelled, sentences, unbroken } from "~/i18n/punctuation";
import { Disclosure } from "./disclosure";
import classes from "./headline.module.css";

interface HeadlineProps {
  headline: Schemas["Headline"] | null | undefined;
  /** Whose it is, where there are several; how any was found is said elsewhere then. */
  of?: string;
  /** The chart that answers the question: it stands under the first sentence. */
  chart?: ReactNode;
  /** What the answer rests on, under the chart. */
  decided?: ReactNode;
  /** What to do next, under the recommendation. */
  children?: ReactNode;
}

/**
 * What was found, in the words that exports, links and the terminal have too: the answer, its
 * chart, what to do, what to keep in mind, and then how the other cases stand.
 */
export function Headline({ headline, of, chart, decided, children }: HeadlineProps) {
  const { t } = useTranslation("charts");
  const [first, ...rest] = headline?.sentences ?? [];
  if (headline == null || first === undefined) return null;
  const others = (
    <List size="sm" spacing={2}>
      {inItems(rest).map((item) => (
        <List.Item key={item[0]?.text}>
          {unbroken(sentences(item.map(({ text }) => text)))}
        </List.Item>
      ))}
    </List>
  );
  const advice = headline.recommendation ?? [];
  const beside = (
    <Stack gap="xs" className={classes.beside}>
      {chart === undefined && rest.length > 0 && others}
      {advice.length > 0 && (
        <>
          <Text fw={600} size="sm">
            {t("recommendation")}
          </Text>
          <List size="sm" spacing={4}>
            {advice.map((one) => (
              <List.Item key={one.text}>{unbroken(one.text)}</List.Item>
            ))}
          </List>
        </>
      )}
      {children}
      {headline.caveats?.map((one) => (
        <Box key={one.code} style={CAVEAT}>
          <IconAlertTriangle size={16} aria-hidden style={{ flexShrink: 0, marginTop: 2 }} />
          <Text size="sm">{unbroken(one.text)}</Text>
        </Box>
      ))}
      {of === undefined && !NO_VERDICT.includes(first.code) && (
        <Anchor href="/method" size="sm" w="fit-content">
          {t("how_verdicts")}
        </Anchor>
      )}
    </Stack>
  );
  return (
    <Stack
      component="section"
      gap="sm"
      aria-label={of === undefined ? t("in_short") : labelled(t("in_short"), of)}
      data-testid="headline"
    >
      <Text
        component={of === undefined ? "h2" : "p"}
        m={0}
        fz={of === undefined ? "xl" : "md"}
        fw={600}
        lh={1.35}
      >
        {unbroken(first.text)}
      </Text>
      {chart === undefined ? (
        beside
      ) : (
        <>
          <div className={classes.answer}>
            <div className={classes.chart}>{chart}</div>
            {beside}
          </div>
          {decided}
          {rest.length > 0 && (
            <Disclosure title={t("other_cases", { count: rest.length })}>{others}</Disclosure>
          )}
        </>
      )}
    </Stack>
  );
}

/** Sentences of results in which nothing was decided. */
const NO_VERDICT = ["nothing", "measured"];

/** How the cases stand that a sentence is not about, which says little without it. */
const GOES_ON = ["others", "losses_more"];

/** A list item each sentence with what continues with it. */
function inItems(sentences: Schemas["Sentence"][]): Schemas["Sentence"][][] {
  const items: Schemas["Sentence"][][] = [];
  for (const one of sentences) {
    const last = items.at(-1);
    if (last !== undefined && GOES_ON.includes(one.code)) last.push(one);
    else items.push([one]);
  }
  return items;
}

const CAVEAT = {
  display: "flex",
  gap: 8,
  borderLeft: "4px solid var(--mantine-color-orange-filled)",
  paddingLeft: 10,
} as const;
