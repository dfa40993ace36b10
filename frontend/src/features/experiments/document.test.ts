import { describe, expect, it } from "vitest";
import { NOT_A_MAPPING, readDocument, setAt, valueAt } from "./document";

const WRITTEN = `# what we argue about since May
kind: service_scale   # the only one with kube-proxy
name: "iptables or not"

axes:
  # the old one first
  kube_proxy_mode: [iptables, nftables]
  services:
    - 10 # a quiet cluster
    - 5000 # ours
repetition:
  profile: quick
`;

describe("readDocument", () => {
  it("reads what the text says", () => {
    const { value, faults } = readDocument(WRITTEN);
    expect(faults).toEqual([]);
    expect(valueAt(value, ["axes", "services", 1])).toBe(5000);
    expect(valueAt(value, ["axes", "path"])).toBeUndefined();
  });

  it("names the line of what is no YAML", () => {
    const { faults } = readDocument("name: x\nkind: [throughput\naxes: {}\n");
    expect(faults[0]?.line).toBeGreaterThan(1);
    expect(faults[0]?.message).not.toContain("\n");
  });

  it.each(["- a\n- b\n", "words", "3"])("takes no %j for a specification", (text) => {
    expect(readDocument(text).faults.map(({ code }) => code)).toEqual([NOT_A_MAPPING]);
  });

  it.each(["", "# nothing yet\n", "---\n"])("takes %j for an empty one", (text) => {
    expect(readDocument(text)).toMatchObject({ value: {}, faults: [] });
  });

  it("reads YAML 1.1, as the API does", () => {
    expect(readDocument("a: on\nb: 010\nc: 1_000").value).toEqual({ a: true, b: 8, c: 1000 });
  });

  it("says so where the same key stands twice or an alias leads nowhere", () => {
    expect(readDocument("name: a\nname: b\n").faults[0]?.line).toBe(2);
    expect(readDocument("name: *gone\n").faults).toHaveLength(1);
  });
});

describe("setAt", () => {
  it("changes one thing and leaves comments, order and quotes", () => {
    const text = setAt(WRITTEN, ["repetition", "trials"], 9);
    expect(text).toBe(
      `${WRITTEN.replace("kind: service_scale   #", "kind: service_scale #")}  trials: 9\n`,
    );
  });

  it("leaves a text alone that says so already, but for spaces", () => {
    const once = setAt(WRITTEN, ["name"], "iptables or not");
    expect(setAt(once, ["name"], "iptables or not")).toBe(once);
  });

  it("keeps the comments of the values that stay in a list, and the list's style", () => {
    const text = setAt(WRITTEN, ["axes", "services"], [5000, 10, 20_000]);
    expect(text).toContain("    - 5000 # ours\n    - 10 # a quiet cluster\n    - 20000\n");
    expect(setAt(WRITTEN, ["axes", "kube_proxy_mode"], ["nftables"])).toContain("[nftables]");
  });

  it("writes a new list in one line, in a section that it opens", () => {
    const empty = "name: x\naxes: # still open\n";
    const text = setAt(empty, ["axes", "streams"], [1, 8]);
    expect(readDocument(text).value).toEqual({ name: "x", axes: { streams: [1, 8] } });
    expect(text).toContain("still open");
    expect(text).toContain("streams: [1, 8]");
  });

  it("starts from nothing", () => {
    expect(setAt("", ["repetition", "seed"], 4)).toBe("repetition:\n  seed: 4\n");
    expect(setAt("# mine\n", ["name"], "x")).toContain("# mine");
  });

  it("takes a key away with the section it leaves empty, and keeps what was said above it", () => {
    const text = setAt(WRITTEN, ["axes", "kube_proxy_mode"], undefined);
    expect(text).toContain("# the old one first");
    expect(valueAt(readDocument(text).value, ["axes"])).toEqual({ services: [10, 5000] });
    expect(
      readDocument(setAt(WRITTEN, ["repetition", "profile"], undefined)).value,
    ).not.toHaveProperty("repetition");
    expect(setAt(WRITTEN, ["parameters", "port"], undefined)).toBe(
      setAt(WRITTEN, ["no"], undefined),
    );
  });

  it("writes what reads the same again", () => {
    const odd = [
      "on",
      "no",
      "010",
      "1e3",
      "null",
      "~",
      "a: b",
      "# no comment",
      " padded ",
      "多模式",
    ];
    for (const value of odd) {
      const text = setAt(WRITTEN, ["name"], value);
      expect(readDocument(text).value.name, text).toBe(value);
    }
  });

  it("does not mention the version it reads", () => {
    expect(setAt(WRITTEN, ["name"], "x")).not.toContain("%YAML");
  });

  it("never folds a long line", () => {
    const long = "so long that it would be folded ".repeat(10).trim();
    expect(setAt(WRITTEN, ["description"], long).split("\n")).toContain(`description: ${long}`);
  });
});
