import { type ReactNode, useEffect, useReducer, useRef } from "react";
import { flushSync } from "react-dom";

/** Until somebody does something, nothing has to be answered, and all is drawn at once. */
let touched = false;
const touch = () => {
  touched = true;
};
for (const input of ["pointerdown", "keydown"]) {
  addEventListener(input, touch, { capture: true, once: true });
}

type Drawing = () => void;

const waiting = new Set<Drawing>();
let going = false;

/** The next one, once the browser has painted and answered whatever came in meanwhile. */
function goOn(): void {
  going = waiting.size > 0;
  if (!going) return;
  requestAnimationFrame(() =>
    setTimeout(() => {
      const [next] = waiting;
      if (next !== undefined) draw(next);
      goOn();
    }),
  );
}

function draw(one: Drawing): void {
  waiting.delete(one);
  one();
}

// On paper there is no later.
addEventListener("beforeprint", () => {
  flushSync(() => {
    for (const one of waiting) draw(one);
  });
});

/**
 * What takes long to draw, one after the other and each in a task of its own: a chart of Recharts
 * is drawn as a whole however little urgent it is, and ten of them would keep a hand waiting.
 * What stood there before stays until then, faded; where nothing did, so much room is kept.
 */
export function InTurn({ room, children }: { room?: number; children: ReactNode }) {
  const drawn = useRef<ReactNode>(null);
  const [, show] = useReducer((times: number) => times + 1, 0);
  if (!touched) drawn.current = children;
  useEffect(() => {
    if (drawn.current === children) return;
    const one = () => {
      drawn.current = children;
      show();
    };
    waiting.add(one);
    if (!going) goOn();
    return () => {
      waiting.delete(one);
    };
  }, [children]);
  const late = drawn.current !== children;
  return (
    <div
      aria-busy={late || undefined}
      style={late ? { opacity: FADED, minHeight: room } : undefined}
    >
      {drawn.current}
    </div>
  );
}

const FADED = 0.4;
