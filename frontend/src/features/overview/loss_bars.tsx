import { Text } from "@mantine/core";
import { Fragment } from "react";
import type { Point, Schemas } from "~/api/types";
import { endsAroundZero } from "~/charts/axis_scale";
import { hueOf, MODE_AXES } from "~/charts/hues";
import { Whisker } from "~/charts/markers";
import { type Hued, lookOf, TEXT } from "~/charts/palette";
import { clauses } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import { writeFigure, writeInterval } from "~/quantities/format";
import { usePointText } from "~/ui/point_text";

type Loss = Schemas["Projected"];

const WIDTH = 150;
/** A bar is thicker than the ground that sets its interval apart from it. */
const HEIGHT = 18;
const MIDDLE = HEIGHT / 2;
const EDGE = 4;
/** On a phone, words and figures need the room. */
const BAR_WIDTH = `clamp(70px, 22vw, ${WIDTH}px)`;

/** Losses as bars around zero with their intervals, all in one scale, and as figures. */
export function LossBars({ losses }: { losses: Loss[] }) {
  const word = useWords();
  const pointText = usePointText();
  const [first] = losses;
  const ends = losses.flatMap(({ value, low, high }) => [value ?? 0, low ?? 0, high ?? 0]);
  const [least, most] = endsAroundZero(ends);
  const at = (share: number) => EDGE + ((share - least) / (most - least)) * (WIDTH - 2 * EDGE);
  const axes = tellingAxes(losses);
  if (first === undefined) return null;
  // A mode has its own colour everywhere, also where all bars are of one mode.
  const differing = axes.filter((axis) =>
    losses.some(({ key }) => key.point[axis] !== first.key.point[axis]),
  );
  const modes = MODE_AXES.filter((axis) => first.key.point[axis] !== undefined);
  const [telling = ""] = [...modes, ...differing];
  // Of which modes they are no row says: it is the same in all.
  const shared = pointText(
    first.key.point as Point,
    Object.keys(first.key.point).filter((axis) => !axes.includes(axis)),
  );
  return (
    <table style={{ borderSpacing: "0 4px", maxWidth: "100%" }}>
      <caption style={{ textAlign: "start" }}>
        <Text size="xs" c="dimmed">
          {clauses(word("metric", first.key.metric), word("direction", "lower"))}
        </Text>
        {shared !== "" && (
          <Text size="xs" c="dimmed">
            {shared}
          </Text>
        )}
      </caption>
      <tbody>
        {losses.map((loss) => (
          <tr key={JSON.stringify(loss.key.point)}>
            <Text component="th" scope="row" size="xs" fw={400} ta="start" pe="xs">
              {pointText(loss.key.point as Point, axes)}
            </Text>
            <td>
              <Bar
                loss={loss}
                at={at}
                look={{ hue: hueOf(telling, loss.key.point[telling]), shade: 0 }}
              />
            </td>
            <Text component="td" size="xs" ps="xs">
              {written(loss).map((part, place) => (
                <Fragment key={part}>
                  {place > 0 && " "}
                  <span style={{ whiteSpace: "nowrap" }}>{part}</span>
                </Fragment>
              ))}
            </Text>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface BarProps {
  loss: Loss;
  at: (share: number) => number;
  look: Hued;
}

function Bar({ loss, at, look }: BarProps) {
  const { low, high } = loss;
  const value = loss.value ?? 0;
  const [from, to] = [at(Math.min(0, value)), at(Math.max(0, value))];
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      height={HEIGHT}
      style={{ display: "block", width: BAR_WIDTH }}
      aria-hidden="true"
    >
      <rect x={from} y={2} width={to - from} height={HEIGHT - 4} fill={lookOf(look).color} />
      <line data-zero="" x1={at(0)} x2={at(0)} y1={0} y2={HEIGHT} stroke={TEXT} />
      {low != null && high != null && (
        <Whisker d={`M${at(low)} ${MIDDLE}H${at(high)}M${at(low)} 5v8M${at(high)} 5v8`} />
      )}
    </svg>
  );
}

function written({ value: share, ...interval }: Loss): string[] {
  if (share === null) return ["–"];
  const figure = writeFigure({ ...interval, value: share }, "ratio");
  return [figure.value, writeInterval(figure)].filter((part) => part !== null);
}

/** The axes that tell the losses from one another and from what they are set against. */
function tellingAxes(losses: readonly Loss[]): string[] {
  const { point = {}, against } = losses[0]?.key ?? {};
  return Object.keys(point).filter(
    (axis) =>
      point[axis] !== against?.[axis] || losses.some(({ key }) => key.point[axis] !== point[axis]),
  );
}
