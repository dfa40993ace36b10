import i18next from "i18next";
import { useCallback, useSyncExternalStore } from "react";
import type { Schemas } from "~/api/types";
import { MESSAGES } from "./resources";
import { wordOf } from "./words";

export type Message = Schemas["Message"];
type Param = Message["params"][string];

/**
 * A parameter, and which groups of words have its terms: `{{ended, outcome, run_state}}`; the
 * blanks that part it from Chinese.
 */
const HOLE = /((?<=\p{Script=Han}) )?\{\{(\w+)((?:, \w+)*)\}\}( (?=\p{Script=Han}))?/gu;
const HAN = /^\p{Script=Han}/u;
const ENDS_HAN = /\p{Script=Han}$/u;

/**
 * What the API says, in the user's language. In English, for a code that is not known yet, and
 * while the sentences are on their way, it is the API's own text.
 */
export function messageText({ code, params, text }: Message): string {
  want(i18next.language);
  const sentence: unknown = i18next.getResource(i18next.language, "messages", code);
  if (typeof sentence !== "string") return text;
  return sentence.replace(HOLE, (...[, before = "", name, listed, after = ""]) => {
    const groups = String(listed).split(", ").slice(1);
    const said = paramText(params[name], groups);
    if (groups.length === 0) return before + said + after;
    return (HAN.test(said) ? "" : before) + said + (ENDS_HAN.test(said) ? "" : after);
  });
}

/** The same; anyone who uses it is drawn again when the language changes. */
export function useMessageText(): (message: Message) => string {
  const spoken = useSyncExternalStore(subscribe, spokenNow);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another language, another function
  return useCallback((message: Message) => messageText(message), [spoken]);
}

function paramText(param: Param | undefined, groups: string[]): string {
  if (Array.isArray(param)) {
    const said = param.map((one) => paramText(one, groups));
    if (!param.some(isMessage)) return said.join("、");
    // Whole sentences are parted by their own ends.
    return said.join(said.every((one) => one.endsWith("。")) ? "" : "；");
  }
  if (isMessage(param)) return messageText(param);
  const spelled = String(param ?? "");
  return groups.map((group) => wordOf(group, spelled)).find(Boolean) ?? spelled;
}

function isMessage(param: unknown): param is Message {
  return typeof param === "object" && param !== null && "code" in param && "text" in param;
}

const asked = new Set<string>();

/** A snapshot's page seldom says any of it, so it is read when it is first said. */
function want(language: string): void {
  if (asked.has(language) || i18next.hasResourceBundle(language, "messages")) return;
  asked.add(language);
  const part = MESSAGES[language as keyof typeof MESSAGES];
  void part?.().then(({ strings }) => {
    for (const [namespace, sentences] of Object.entries(strings)) {
      i18next.addResourceBundle(language, namespace, sentences);
    }
  });
}

function subscribe(changed: () => void): () => void {
  i18next.on("languageChanged", changed);
  i18next.store.on("added", changed);
  return () => {
    i18next.off("languageChanged", changed);
    i18next.store.off("added", changed);
  };
}

function spokenNow(): string {
  const { language } = i18next;
  return i18next.hasResourceBundle(language, "messages") ? `${language} messages` : language;
}
