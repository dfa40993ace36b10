import { describe, expect, it } from "vitest";
import { forgetText, rememberedText, rememberText } from "./written_text";

describe("the text of a saved version", () => {
  it("is found again for that version alone, until it is forgotten", () => {
    rememberText("a", 2, "# mine\nname: x\n");
    expect(rememberedText("a", 2)).toBe("# mine\nname: x\n");
    expect(rememberedText("a", 3)).toBeUndefined();
    expect(rememberedText("b", 2)).toBeUndefined();
    forgetText("a");
    expect(rememberedText("a", 2)).toBeUndefined();
  });
});
