import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { act, renderHook } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { i18next, setLanguage, speakInside } from ".";
import { type Message, messageText, useMessageText } from "./messages";
import zh from "./messages/zh.json";
import definitions from "./zh/definitions.json";
import words from "./zh/words.json";

/** Every code that the API can say, with its English sentence. */
const API: Record<string, string> = JSON.parse(
  readFileSync(resolve(import.meta.dirname, "../../../docs/openapi.json"), "utf8"),
).components["x-messages"];
const CHINESE: Record<string, string> = zh;

const holes = (text: string, pattern: RegExp) =>
  [...new Set([...text.matchAll(pattern)].map(([, name]) => name))].sort();

describe("what the API says", () => {
  it("has a sentence in both languages, and no sentence is of nothing", () => {
    expect(Object.keys(CHINESE).sort()).toEqual(Object.keys(API).sort());
    expect(Object.keys(API).length).toBeGreaterThan(100);
  });

  it.each(Object.keys(API))("%s says the same parameters", (code) => {
    const english = API[code] ?? "";
    const chinese = CHINESE[code] ?? "";
    expect(english.trim()).not.toBe("");
    expect(chinese.trim()).not.toBe("");
    expect(holes(chinese, /{{(\w+)(?:, \w+)*}}/g)).toEqual(holes(english, /{(\w+)}/g));
  });

  it("names terms by groups of words that there are", () => {
    const named = Object.values(CHINESE).flatMap((sentence) =>
      [...sentence.matchAll(/{{\w+((?:, \w+)+)}}/g)].flatMap(([, groups]) =>
        (groups ?? "").split(", ").slice(1),
      ),
    );
    expect(named.length).toBeGreaterThan(40);
    const known = new Set([...Object.keys(words), ...Object.keys(definitions)]);
    expect(named.filter((group) => !known.has(group))).toEqual([]);
  });
});

const WHY: Message = {
  code: "kernel_no_ipvs",
  params: { nodes: ["a", "b"] },
  text: "the kernel of a, b has no ip_vs",
};
const MESSAGE: Message = {
  code: "mode_impossible",
  params: { axis: "kube_proxy_mode", value: "ipvs", why: WHY },
  text: "kube_proxy_mode cannot be ipvs: the kernel of a, b has no ip_vs",
};

describe("a message", () => {
  afterEach(() => act(() => setLanguage("en")));

  it("is said in English as the API says it", () => {
    expect(messageText(MESSAGE)).toBe(MESSAGE.text);
  });

  it("is said in Chinese, those within it too, once the sentences are there", async () => {
    const { result } = renderHook(useMessageText);
    await act(() => setLanguage("zh"));
    result.current(MESSAGE);
    await expect
      .poll(() => result.current(MESSAGE))
      .toBe("kube-proxy 模式无法切换为 IPVS：a、b 的内核没有 ip_vs 模块");
    const several = { code: "several", params: { several: [WHY, WHY] }, text: "" };
    expect(messageText(several)).toBe("a、b 的内核没有 ip_vs 模块；a、b 的内核没有 ip_vs 模块");
    const whole: Message = {
      code: "server_missing",
      params: {},
      text: "The server URL is missing.",
    };
    const both = { code: "several", params: { several: [whole, whole] }, text: "" };
    expect(messageText(both)).toBe("缺少服务器 URL。缺少服务器 URL。");
  });

  it("says terms by their words, and one that has none as it is spelled", async () => {
    await speakInside();
    await act(() => setLanguage("zh"));
    const gone = (state: string): Message => ({ code: "worker_gone", params: { state }, text: "" });
    expect(messageText(gone("running"))).toContain("运行处于“运行中”状态时");
    expect(messageText(gone("resting"))).toContain("运行处于“resting”状态时");
    const again = { ended: "running", why: "resume" };
    expect(messageText({ code: "run_not_taken_up", params: again, text: "" })).toBe(
      "结果为“运行中”的运行不能通过“继续”继续",
    );
    const axes = ["kube_proxy_mode", "encapsulation"];
    expect(messageText({ code: "switch_not_allowed_now", params: { axes }, text: "" })).toContain(
      "要切换 kube-proxy 模式、封装方式",
    );
  });

  it("of a newer API is said as the API says it", async () => {
    await act(() => setLanguage("zh"));
    const newer = { code: "not_known_yet", params: {}, text: "something new" };
    expect(messageText(newer)).toBe("something new");
    expect(i18next.language).toBe("zh");
  });

  it("with braces in what a tool said stays as it is", async () => {
    await act(() => setLanguage("zh"));
    const odd = { code: "text", params: { text: "{{oops}} $t(run)" }, text: "" };
    messageText(odd);
    await expect.poll(() => i18next.hasResourceBundle("zh", "messages")).toBe(true);
    expect(messageText(odd)).toBe("{{oops}} $t(run)");
  });
});
