import { Badge } from "@mantine/core";
import { IconCheck, IconCircleHalf2, IconQuestionMark, IconX } from "@tabler/icons-react";
import type { Schemas } from "~/api/types";
import { useWords } from "~/i18n/words";

const LOOKS = {
  holds: ["green", IconCheck],
  partly: ["orange", IconCircleHalf2],
  fails: ["red", IconX],
  not_recomputable: ["gray", IconQuestionMark],
} as const;

/** What a source's own figures say of its claim, by word and sign. */
export function ClaimBadge({ verdict }: { verdict: Schemas["PublishedClaim"]["verdict"] }) {
  const word = useWords();
  const [color, Icon] = LOOKS[verdict];
  return (
    <Badge color={color} variant="light" leftSection={<Icon size={12} />} tt="none">
      {word("claim_verdict", verdict)}
    </Badge>
  );
}
