import { ActionIcon, Group, Text } from "@mantine/core";
import {
  IconAlertTriangle,
  IconChevronRight,
  IconCircleOff,
  IconInfoCircle,
} from "@tabler/icons-react";
import { memo, type ReactNode, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Effect, holds, numberOf, textOf, warningsOf } from "~/api/rows";
import { labelled, parted } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import { VerdictBadge } from "~/ui/badges";
import { lazyPart } from "~/ui/lazy_part";
import { usePointText } from "~/ui/point_text";
import { ABOUT, KEPT, Table } from "~/ui/table";
import { ArmFigure, ChangeFigure, PValue } from "./figures";
import type { RenderLink } from "./links";
import type { Row } from "./model/rows";
import type { Sides } from "./model/sides";
import { whySilent } from "./model/why";
import { useMetricText, useNoteText, useReasons } from "./use_words";
import type { ChangeView } from "./view";

interface Props {
  row: Row;
  axes: string[];
  sides: Sides;
  opened: boolean;
  change: ChangeView;
  renderLink?: RenderLink;
}

/** One effect, or why there is none. Tables of thousands of effects turn pages of these. */
export const DeltaRow = memo(function DeltaRow({
  row,
  axes,
  sides,
  opened,
  change,
  renderLink,
}: Props) {
  const several = sides.contenders.length > 1;
  const { pair, effect } = row;
  return (
    <>
      <Table.Tr>
        {several && <Table.Td>{sides.contenders[row.place]?.short}</Table.Td>}
        <Table.Th scope="row" fw={400} className={ABOUT}>
          <CaseName row={row} axes={axes} />
        </Table.Th>
        {effect === null ? (
          <Silent row={row} />
        ) : (
          <Cells
            effect={effect}
            opened={opened}
            toggle={() => change({ row: opened ? undefined : row.key })}
          />
        )}
      </Table.Tr>
      {opened && effect !== null && (
        <Table.Tr>
          <Table.Td colSpan={several ? 8 : 7} bg="var(--mantine-color-default-hover)">
            <Suspense>
              <RowDetails
                pair={pair}
                effect={effect}
                sides={sides}
                place={row.place}
                renderLink={renderLink}
              />
            </Suspense>
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
});

/** Where both cases lie. The only case of each side may share nothing with the other's. */
function CaseName({ row: { pair, setsUp }, axes }: { row: Row; axes: string[] }) {
  const { t } = useTranslation("compare");
  const where = usePointText()(pair.shared, axes);
  if (setsUp) return [t("set_up"), where].filter((one) => one !== "").join(" · ");
  return where === "" ? t("only_case") : where;
}

function Cells({
  effect,
  opened,
  toggle,
}: {
  effect: Effect;
  opened: boolean;
  toggle: () => void;
}) {
  const { t } = useTranslation("compare");
  const metricText = useMetricText();
  const word = useWords();
  const { ratio } = effect;
  const { key } = ratio;
  const name = metricText(key.metric, key.subject);
  return (
    <>
      <Table.Td miw="7rem" fw={holds(ratio, "main") ? 600 : undefined}>
        {name}
        <Text size="xs" c="dimmed">
          {word("direction", key.direction)}
        </Text>
      </Table.Td>
      <Table.Td>
        <ArmFigure arm={effect.baseline} effect={effect} />
      </Table.Td>
      <Table.Td>
        <ArmFigure arm={effect.contender} effect={effect} />
      </Table.Td>
      <Table.Td>
        <ChangeFigure effect={effect} />
      </Table.Td>
      <Table.Td>
        <PValue p={numberOf(ratio, "p")} />
      </Table.Td>
      <Table.Td className={KEPT}>
        <Group gap={2} wrap="nowrap">
          <VerdictBadge verdict={ratio.verdict ?? ""} />
          <Undecided effect={effect} />
          <NotCounted effect={effect} />
          <Warnings effect={effect} />
          <ActionIcon
            variant="subtle"
            color="gray"
            ms="auto"
            aria-expanded={opened}
            aria-label={t("trials_of", { metric: name })}
            onClick={toggle}
          >
            <IconChevronRight size={16} style={opened ? DOWN : undefined} />
          </ActionIcon>
        </Group>
      </Table.Td>
    </>
  );
}

const DOWN = { transform: "rotate(90deg)" };

/** Why neither a difference nor `same` was reached; of another verdict the figures say it. */
function Undecided({ effect }: { effect: Effect }) {
  const word = useWords();
  const { ratio } = effect;
  if (ratio.verdict !== "undecided") return null;
  const text = word("reason", textOf(ratio, "reason"));
  return (
    <Hint text={text} label={labelled(word("verdict", ratio.verdict), text)} color="gray">
      <IconInfoCircle size={14} />
    </Hint>
  );
}

/** Why an effect has no say in what the comparison comes to. */
function NotCounted({ effect }: { effect: Effect }) {
  const word = useWords();
  const code = textOf(effect.ratio, "not_counted");
  if (code === "") return null;
  const text = word("not_counted", code);
  return (
    <Hint text={text} label={text} color="gray">
      <IconCircleOff size={14} />
    </Hint>
  );
}

/** A sign where something must be kept in mind; what it is, in the details too. */
function Warnings({ effect }: { effect: Effect }) {
  const { t } = useTranslation("compare");
  const noteText = useNoteText();
  const warnings = warningsOf(effect.ratio);
  if (warnings.length === 0) return null;
  const text = parted(warnings.map(noteText));
  return (
    <Hint text={text} label={t("warnings", { text })} color="orange">
      <IconAlertTriangle size={14} />
    </Hint>
  );
}

interface HintProps {
  text: string;
  label: string;
  color: string;
  children: ReactNode;
}

/** A sign that says what it is on hover, and on focus, which the keyboard and a touch give it. */
function Hint({ text, label, color, children }: HintProps) {
  const [sign, setSign] = useState<HTMLElement | null>(null);
  const [asked, setAsked] = useState(false);
  const ask = () => setAsked(true);
  return (
    <>
      <ActionIcon
        ref={setSign}
        variant="transparent"
        color={color}
        size="sm"
        component="span"
        role="img"
        tabIndex={0}
        aria-label={label}
        onPointerEnter={ask}
        onFocus={ask}
      >
        {children}
      </ActionIcon>
      {asked && (
        <Suspense>
          <Tooltip target={sign} label={text} defaultOpened />
        </Suspense>
      )}
    </>
  );
}

/** Loaded for the first row that is opened. */
const RowDetails = lazyPart(() => import("./row_details"), "RowDetails");

/** What places it is loaded for the first sign that a pointer or the focus comes to. */
const Tooltip = lazyPart(() => import("~/ui/drawn_tooltip"), "Tooltip");

/** Instead of figures, why there are none. */
function Silent({ row }: { row: Row }) {
  const { t } = useTranslation("compare");
  const reason = useReasons();
  return (
    <>
      <Table.Td colSpan={5}>
        <Text size="sm" c="dimmed">
          {reason(whySilent(row.pair))}
        </Text>
      </Table.Td>
      <Table.Td className={KEPT}>
        <Text size="sm">{t("not_compared")}</Text>
      </Table.Td>
    </>
  );
}
