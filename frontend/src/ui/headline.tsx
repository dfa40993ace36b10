import { Anchor, Box, List, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { labelled } from "~/i18n/marks";

/** What was found, in the words that exports, links and the terminal have too. */
export const Headline = memo(function Headline({
  headline,
  of,
}: {
  headline: Schemas["Headline"] | null | undefined;
  /** Whose it is, where there are several; how any was found is said elsewhere then. */
  of?: string;
}) {
  const { i18n, t } = useTranslation("charts");
  const [first, ...rest] = headline?.sentences ?? [];
  if (headline == null || first === undefined) return null;
  const items = inItems(rest);
  return (
    <Stack
      component="section"
      gap="xs"
      aria-label={of === undefined ? t("in_short") : labelled(t("in_short"), of)}
      data-testid="headline"
    >
      <Text fz={of === undefined ? "lg" : "md"} fw={600} lh={1.4}>
        {first.text}
      </Text>
      {rest.length > 0 && (
        <List size="sm" spacing={2}>
          {items.map((item) => (
            <List.Item key={item[0]?.text}>
              {item.map(({ text }) => text).join(i18n.language === "zh" ? "。" : ". ")}
            </List.Item>
          ))}
        </List>
      )}
      {headline.recommendation && headline.recommendation.length > 0 && (
        <>
          <Text fw={600} size="sm">
            {t("recommendation")}
          </Text>
          <List size="sm" spacing={2}>
            {headline.recommendation.map((one) => (
              <List.Item key={one.text}>{one.text}</List.Item>
            ))}
          </List>
        </>
      )}
      {headline.caveats?.map((one) => (
        <Box key={one.code} style={CAVEAT}>
          <IconAlertTriangle size={16} aria-hidden style={{ flexShrink: 0, marginTop: 2 }} />
          <Text size="sm">{one.text}</Text>
        </Box>
      ))}
      {of === undefined && (
        <Anchor href="/method" size="sm" w="fit-content">
          {t("how_verdicts")}
        </Anchor>
      )}
    </Stack>
  );
});

/** How the cases stand that a sentence is not about, which says little without it. */
const GOES_ON = ["others", "losses_more"];

/** A list item each sentence with what goes on with it. */
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
