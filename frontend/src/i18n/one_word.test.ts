import { expect, it } from "vitest";
import { load, PARTS } from "./resources";

/** One Chinese word for one thing: what an English word is called, and what it is never called. */
const CALLED: [english: RegExp, chinese: RegExp, never: RegExp][] = [
  [/\bbaselines?\b/i, /基线/, /基准|参考|对照/],
  [/^reference$/i, /参考/, /基准|基线/],
  [/^description$/i, /^描述$/, /说明/],
  [/\bclusters?\b/i, /集群/, /群集|簇/],
  [/\bfingerprints?\b/i, /指纹/, /特征码/],
  [/\bpreflights?\b/i, /预检/, /预飞|飞行前/],
  [/\bblocks?\b/i, /测量块/, /(?<!测量)块/],
  [/\bsnapshots?\b/i, /快照/, /快摄/],
  [/\bspecifications?\b/i, /规格/, /规范/],
  [/\bnoise floors?\b/i, /噪声基底/, /噪声基线/],
  [/\brevoked?\b/i, /撤销/, /吊销/],
  [/\bloss(es)?\b/i, /损失/, /损耗/],
  [/\bworkers?\b/i, /worker/, /工作进程/],
  [/^(runs?|experiments?|verdicts?|trials?)$/i, /^(运行|实验|结论|试验|测试轮)/, /跑|判决/],
];

function flat(strings: object, prefix = ""): [string, string][] {
  return Object.entries(strings).flatMap(([key, value]) =>
    typeof value === "string" ? [[prefix + key, value]] : flat(value, `${prefix}${key}.`),
  );
}

it("calls one thing by one word in Chinese", async () => {
  const english = new Map(flat(await load("en", PARTS)));
  const chinese = flat(await load("zh", PARTS));
  const told = chinese.map(([key, text]) => {
    const said = english.get(key) ?? english.get(key.replace(/_other$/, "_one")) ?? "";
    return [key, said.replaceAll(/{{\w+}}/g, ""), text.replaceAll(/{{\w+}}/g, "")] as const;
  });
  const wrong = told.filter(([, en, zh]) =>
    CALLED.some(([word, , never]) => word.test(en) && never.test(zh)),
  );
  expect(wrong).toEqual([]);
  for (const [word, called] of CALLED) {
    const saying = told.filter(([, en, zh]) => word.test(en) && called.test(zh));
    expect(saying.length, String(word)).toBeGreaterThan(0);
  }
});
