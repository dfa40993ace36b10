import { Badge } from "@mantine/core";
import { IconBan, IconCheck, IconFlame, IconX } from "@tabler/icons-react";
import { useWords } from "~/i18n/words";
import type { Trial } from "~/queries/runs";

const LOOKS = {
  counted: ["green", IconCheck],
  warmup: ["gray", IconFlame],
  void: ["orange", IconBan],
  failed: ["red", IconX],
} as const satisfies Record<Trial["status"], unknown>;

/** What became of a trial, by word and sign. */
export function TrialBadge({ status }: { status: Trial["status"] }) {
  const word = useWords();
  const [color, Icon] = LOOKS[status];
  return (
    <Badge color={color} variant="light" tt="none" leftSection={<Icon size={12} />}>
      {word("trial_status", status)}
    </Badge>
  );
}
