/** A part of many cases for `make test`, chosen by a seed; `make test-full` takes all of them. */

/** The seed of this test run; the Makefile chooses and prints one. */
const SEED = "PODMETER_TEST_SEED";

/** Whether every case is tested. */
export function takesAll(): boolean {
  return process.env.PODMETER_TEST_ALL === "1";
}

/** Sets and prints the seed where the environment has none; worker processes inherit it. */
export function chooseSeed(): void {
  if (process.env[SEED]) return;
  process.env[SEED] = String(Math.floor(Math.random() * 1_000_000));
  process.stdout.write(`sampled tests: ${SEED}=${process.env[SEED]} repeats this choice\n`);
}

/**
 * `count` of the cases in their order, or all with PODMETER_TEST_ALL=1. The same seed and name
 * choose the same cases, in every process of a test run; another name chooses others.
 */
export function sampled<Case>(cases: readonly Case[], count: number, name = ""): Case[] {
  if (takesAll() || cases.length <= count) return [...cases];
  const random = randomNumbers(hash(`${seed()} ${name}`));
  const places = cases.map((_, place) => ({ place, rank: random() }));
  const chosen = places
    .sort((one, other) => one.rank - other.rank)
    .slice(0, count)
    .map(({ place }) => place)
    .sort((one, other) => one - other);
  return cases.filter((_, place) => chosen.includes(place));
}

function seed(): number {
  const text = process.env[SEED] ?? "";
  if (!/^\d+$/.test(text)) throw new Error(`${SEED} is no number: "${text}"`);
  return Number(text);
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) {
    value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return value >>> 0;
}

/** Mulberry32: numbers from 0 to below 1, the same for the same seed. */
function randomNumbers(seedValue: number): () => number {
  let state = seedValue;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
