import i18next from "i18next";

/** Words put together with the marks of the user's language: Chinese has its own, full-width. */

export function listed(words: readonly string[]): string {
  return words.join(i18next.t("list_separator"));
}

/** "Throughput, higher is better"; what is empty is left out. */
export function clauses(...texts: readonly (string | undefined)[]): string {
  return texts.filter(Boolean).join(i18next.t("comma"));
}

/** "Ladder: Path Pod → Pod" */
export function labelled(label: string, text: string): string {
  return i18next.t("labelled", { label, text });
}

/** "Throughput (Gbit/s)" */
export function bracketed(text: string, inside: string): string {
  return i18next.t("bracketed", { text, inside });
}

/** Clauses that have commas of their own: "too few trials; the rounds differ". */
export function parted(texts: readonly string[]): string {
  return texts.join(i18next.t("semicolon"));
}

/** Whole sentences after each other, each but the last with its end. */
export function sentences(texts: readonly string[]): string {
  return texts.join(i18next.t("sentence_separator"));
}

/** Text in which no line ends within "[20 to 34 %]", "38 %" or "n = 12". */
export function unbroken(text: string): string {
  return text.replaceAll(/\[[^[\]]{1,60}\]|\d %|\bn = /g, (part) => part.replaceAll(" ", "\u00a0"));
}

/** What something follows: a full-width mark brings the space after it along. */
export function followed(text: string): string {
  return /[\u3000-\u303f\uff00-\uffef]$/.test(text) ? text : `${text} `;
}
