/** Without the keys that are undefined, so that an address has no empty parameters. */
export function defined<Search extends object>(search: Search): Search {
  return Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined),
  ) as Search;
}

/** A value of an address; undefined, as from all functions below, if it is not well formed. */
export function oneOf<Word extends string>(words: readonly Word[], value: unknown) {
  return words.find((word) => word === value);
}

export function matching(pattern: RegExp, value: unknown): string | undefined {
  return typeof value === "string" && pattern.test(value) ? value : undefined;
}

/** The router reads `q=42` as a number. */
export function text(value: unknown): string | undefined {
  const read = typeof value === "number" ? String(value) : value;
  return typeof read === "string" && read !== "" ? read : undefined;
}

export function positive(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

export function yes(value: unknown): true | undefined {
  return value === true ? true : undefined;
}
