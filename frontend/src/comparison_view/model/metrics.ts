import registry from "~/api/registry.json";
import { type Effect, effectsOf, holds } from "~/api/rows";
import type { Comparison, Schemas, Unit } from "~/api/types";

/** A metric that a comparison has effects of; `key` is unique with its subject. */
export interface ComparedMetric {
  key: string;
  metric: string;
  subject: string;
  unit: Unit;
  direction: Schemas["Direction"];
  /** Whether it is what some case is about. */
  main: boolean;
}

export function metricKey(metric: string, subject: string): string {
  return subject === "" ? metric : `${metric}:${subject}`;
}

/** The unit of what an effect is of, which its ratio has not. */
export function unitOf({ difference }: Effect): Unit {
  return difference.key.unit as Unit;
}

/** An effect's metric with its subject. */
export function keyOf({ ratio: { key } }: Effect): string {
  return metricKey(key.metric, key.subject);
}

const MAINS: Readonly<Record<string, readonly string[]>> = registry.main_metrics;

/** Every metric with an effect; what its kind asks first, then what most cases are about. */
export function metricsOf(comparison: Comparison): ComparedMetric[] {
  const found = new Map<string, ComparedMetric>();
  const mains = new Map<string, number>();
  for (const effect of everyEffect(comparison)) {
    const [key, main] = [keyOf(effect), holds(effect.ratio, "main")];
    mains.set(key, (mains.get(key) ?? 0) + Number(main));
    const known = found.get(key);
    if (known) known.main ||= main;
    else found.set(key, asMetric(key, effect));
  }
  const [question] = (MAINS[comparison.kind] ?? []).filter((name) =>
    [...found.values()].some(({ metric, main }) => main && metric === name),
  );
  return [...found.values()].sort(
    (one, two) =>
      Number(two.metric === question) - Number(one.metric === question) ||
      (mains.get(two.key) ?? 0) - (mains.get(one.key) ?? 0),
  );
}

function* everyEffect(comparison: Comparison): Generator<Effect> {
  for (const contender of comparison.contenders) {
    for (const pair of contender.pairs) yield* effectsOf(pair.effects);
  }
}

function asMetric(key: string, effect: Effect): ComparedMetric {
  const { metric, subject, direction } = effect.ratio.key;
  const main = holds(effect.ratio, "main");
  const better = direction as Schemas["Direction"];
  return { key, metric, subject, main, direction: better, unit: unitOf(effect) };
}
