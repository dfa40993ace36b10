import { Anchor, Box, List, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";

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
  const say = (one: Schemas["Sentence"]) => (i18n.language === "zh" ? one.zh : one.en);
  const [first, ...rest] = headline?.sentences ?? [];
  if (headline == null || first === undefined) return null;
  return (
    <Stack
      component="section"
      gap="xs"
      aria-label={of === undefined ? t("in_short") : `${t("in_short")}: ${of}`}
      data-testid="headline"
    >
      <Text fz={of === undefined ? "lg" : "md"} fw={600} lh={1.4}>
        {say(first)}
      </Text>
      {rest.length > 0 && (
        <List size="sm" spacing={2}>
          {rest.map((one) => (
            <List.Item key={one.en}>{say(one)}</List.Item>
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
              <List.Item key={one.en}>{say(one)}</List.Item>
            ))}
          </List>
        </>
      )}
      {headline.caveats?.map((one) => (
        <Box key={one.code} style={CAVEAT}>
          <IconAlertTriangle size={16} aria-hidden style={{ flexShrink: 0, marginTop: 2 }} />
          <Text size="sm">{say(one)}</Text>
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

const CAVEAT = {
  display: "flex",
  gap: 8,
  borderLeft: "4px solid var(--mantine-color-orange-filled)",
  paddingLeft: 10,
} as const;
