import { Badge } from "@mantine/core";
import {
  IconArrowDown,
  IconArrowUp,
  IconCheck,
  IconCircleDashed,
  IconEqual,
  IconPlayerSkipForward,
  IconQuestionMark,
  IconX,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { Schemas } from "~/api/types";
import { useWords } from "~/i18n/words";

/** States by word and sign, colour besides: nobody has to tell red from green. */
const ICON = 12;

type BadgeStyle = readonly [color: string, icon: ReactNode];

const VERDICTS: Record<string, BadgeStyle> = {
  better: ["green", <IconArrowUp key="i" size={ICON} />],
  worse: ["red", <IconArrowDown key="i" size={ICON} />],
  same: ["blue", <IconEqual key="i" size={ICON} />],
  undecided: ["gray", <IconQuestionMark key="i" size={ICON} />],
};
const GATES: Record<string, BadgeStyle> = {
  comparable: ["green", <IconCheck key="i" size={ICON} />],
  confounded: ["orange", <IconQuestionMark key="i" size={ICON} />],
  refused: ["red", <IconX key="i" size={ICON} />],
  unknown: ["gray", <IconQuestionMark key="i" size={ICON} />],
};
const CASES: Record<string, BadgeStyle> = {
  pending: ["gray", <IconCircleDashed key="i" size={ICON} />],
  running: ["blue", <IconCircleDashed key="i" size={ICON} />],
  succeeded: ["green", <IconCheck key="i" size={ICON} />],
  failed: ["red", <IconX key="i" size={ICON} />],
  skipped: ["gray", <IconPlayerSkipForward key="i" size={ICON} />],
};
const OUTCOMES: Record<string, BadgeStyle> = {
  succeeded: ["green", <IconCheck key="i" size={ICON} />],
  partial: ["orange", <IconQuestionMark key="i" size={ICON} />],
  failed: ["red", <IconX key="i" size={ICON} />],
  cancelled: ["gray", <IconX key="i" size={ICON} />],
  interrupted: ["orange", <IconX key="i" size={ICON} />],
};

function Sign({ look, children }: { look: BadgeStyle | undefined; children: ReactNode }) {
  const [color, icon] = look ?? ["gray", null];
  return (
    <Badge color={color} variant="light" leftSection={icon} tt="none" style={{ flexShrink: 0 }}>
      {children}
    </Badge>
  );
}

export function VerdictBadge({ verdict }: { verdict: string }) {
  const word = useWords();
  return <Sign look={VERDICTS[verdict]}>{word("verdict", verdict)}</Sign>;
}

export function GateBadge({ verdict }: { verdict: string }) {
  const word = useWords();
  return <Sign look={GATES[verdict]}>{word("gate", verdict)}</Sign>;
}

export function CaseStatusBadge({ status }: { status: string }) {
  const word = useWords();
  return <Sign look={CASES[status]}>{word("case_status", status)}</Sign>;
}

/** The outcome of a finished run, the state of another. */
export function RunBadge({ run }: { run: Pick<Schemas["RunSummary"], "state" | "outcome"> }) {
  const word = useWords();
  if (run.outcome !== null) {
    return <Sign look={OUTCOMES[run.outcome]}>{word("outcome", run.outcome)}</Sign>;
  }
  return (
    <Sign look={["blue", <IconCircleDashed key="i" size={ICON} />]}>
      {word("run_state", run.state)}
    </Sign>
  );
}
