import registry from "~/api/registry.json";
import type { Comparison, Effect, Schemas, Unit } from "~/api/types";

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

/** The document's units are the API's; its schema calls them plain strings. */
export function unitOf(of: { unit: string }): Unit {
  return of.unit as Unit;
}

const MAINS: Readonly<Record<string, readonly string[]>> = registry.main_metrics;

/** Every metric with an effect; what its kind asks first, then what most cases are about. */
export function metricsOf(comparison: Comparison): ComparedMetric[] {
  const found = new Map<string, ComparedMetric>();
  const mains = new Map<string, number>();
  for (const effect of effectsOf(comparison)) {
    const key = metricKey(effect.metric, effect.subject);
    mains.set(key, (mains.get(key) ?? 0) + Number(effect.main));
    const known = found.get(key);
    if (known) known.main ||= effect.main;
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

function* effectsOf(comparison: Comparison): Generator<Effect> {
  for (const contender of comparison.contenders) {
    for (const pair of contender.pairs) yield* pair.effects;
  }
}

function asMetric(key: string, effect: Effect): ComparedMetric {
  const { metric, subject, main } = effect;
  const direction = effect.direction as Schemas["Direction"];
  return { key, metric, subject, main, direction, unit: unitOf(effect) };
}
