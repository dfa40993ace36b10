import type { Figure } from "~/api/types";

const WIDTH = 240;
const HEIGHT = 14;
const MIDDLE = HEIGHT / 2;

/** A loss as a bar from zero with its interval; the sentence beside it says the same. */
export function LossBar({ loss }: { loss: Figure }) {
  const { value, low, high } = loss;
  const ends = [value, low ?? value, high ?? value, 0];
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const room = Math.max(most - least, 0.1);
  const at = (share: number) => 2 + ((share - least) / room) * (WIDTH - 4);
  const [from, to] = [at(Math.min(0, value)), at(Math.max(0, value))];
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      style={{ maxWidth: "100%", display: "block" }}
      aria-hidden="true"
    >
      <rect
        x={from}
        y={3}
        width={Math.max(to - from, 1)}
        height={HEIGHT - 6}
        fill="var(--mantine-primary-color-filled)"
        opacity={0.5}
      />
      <line x1={at(0)} x2={at(0)} y1={0} y2={HEIGHT} stroke="currentColor" />
      {low != null && high != null && (
        <path
          d={`M${at(low)} ${MIDDLE}H${at(high)}M${at(low)} 3v8M${at(high)} 3v8`}
          stroke="currentColor"
          strokeWidth={1.5}
          fill="none"
        />
      )}
    </svg>
  );
}
