import { describe, expect, it } from "vitest";
import { type Fault, ProblemError } from "~/api/problem";
import { textMessage } from "~/i18n/text_message";
import { readDocument, type TextFault } from "./document";
import { faultAt, faultsElsewhere, specFaults, textFaults } from "./faults";

const FAULTS = [
  { pointer: "/axes/services/1", message: "'many' is not a whole number" },
  { pointer: "/kind", message: "not offered" },
  { pointer: "/colour", message: "Unknown field" },
];

const say = ({ code, message }: TextFault) => code ?? message;

function fault(text: string, where: { pointer?: string; header?: string }): Fault {
  return {
    detail: text,
    message: textMessage(text),
    pointer: null,
    parameter: null,
    header: null,
    remedy: null,
    mend: null,
    obstacle: null,
    ...where,
  };
}

describe("faults", () => {
  it("come from the problem documents that refuse the specification, and from no other", () => {
    const problem = (status: number) =>
      new ProblemError({
        type: "",
        title: "",
        status,
        detail: "",
        code: "invalid_spec",
        allowed: null,
        request_id: null,
        document: null,
        error_count: null,
        message: textMessage("the specification does not validate"),
        errors: [
          fault("not offered", { pointer: "/kind" }),
          fault("stale", { header: "If-Match" }),
        ],
      });
    expect(specFaults(problem(422))).toEqual([{ pointer: "/kind", message: "not offered" }]);
    expect(specFaults(problem(412))).toEqual([]);
    expect(specFaults(new Error("gone"))).toEqual([]);
  });

  it("are at the field they are in", () => {
    expect(faultAt(FAULTS, "/axes/services")).toBe("'many' is not a whole number");
    expect(faultAt(FAULTS, "/axes/path")).toBeUndefined();
    expect(faultsElsewhere(FAULTS, ["/axes/services", "/kind"])).toEqual([FAULTS[2]]);
  });

  it("are at their lines, in the text's order", () => {
    const document = readDocument("kind: x\ncolour: red\naxes:\n  services: [10, many]\n");
    expect(textFaults(document, FAULTS, say).map(({ line }) => line)).toEqual([1, 2, 4]);
  });

  it("name their field, which for one that is missing stands nowhere", () => {
    const missing = [{ pointer: "/name", message: "This field is required" }];
    const [fault] = textFaults(readDocument("kind: x\n"), missing, say);
    expect(fault).toMatchObject({ message: "name: This field is required", line: 1 });
    expect(textFaults(readDocument("kind: x\n"), FAULTS, say)[0]?.message).toMatch(
      /^axes\.services\.1: /,
    );
  });

  it("of the API do not count while the text cannot be read", () => {
    const faults = textFaults(readDocument("kind: ["), FAULTS, say);
    expect(faults.map(({ message }) => message)).not.toContain("not offered");
    expect(textFaults(readDocument("- a"), FAULTS, say)).toMatchObject([
      { message: "NOT_A_MAPPING", line: 1 },
    ]);
  });
});
