import { useEffect, useState, useSyncExternalStore } from "react";
import { useActiveTooltipLabel, useIsTooltipActive } from "recharts";

/**
 * Where in a chart the pointer or the keyboard is. Kept apart from React's state, so that a moving
 * pointer redraws the readout and never the chart.
 */
export interface Pointed {
  read: () => string | null;
  write: (label: string | null) => void;
  subscribe: (listener: () => void) => () => void;
}

function createPointed(): Pointed {
  let label: string | null = null;
  const listeners = new Set<() => void>();
  return {
    read: () => label,
    write: (next) => {
      if (next === label) return;
      label = next;
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function usePointed(): Pointed {
  return useState(createPointed)[0];
}

/** The place of the pointer; null while it is elsewhere. */
export function usePlace(pointed: Pointed): string | null {
  return useSyncExternalStore(pointed.subscribe, pointed.read);
}

/** Inside a chart of Recharts: passes on where the pointer or the keyboard is. */
export function PassPointed({ to }: { to: Pointed }) {
  const label = useActiveTooltipLabel();
  const active = useIsTooltipActive();
  useEffect(
    () => to.write(active && label !== undefined ? String(label) : null),
    [to, active, label],
  );
  return null;
}
