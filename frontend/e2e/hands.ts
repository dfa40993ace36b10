import { expect, type Locator } from "@playwright/test";

/** How somebody works a page: with a pointer, or with the keyboard alone. */
export interface Hand {
  /** A button, link, tab or an opened menu's item. */
  press: (target: Locator) => Promise<void>;
  tick: (box: Locator) => Promise<void>;
  /** In the place of whatever stands in the field. */
  write: (field: Locator, text: string) => Promise<void>;
  choose: (list: Locator, label: string) => Promise<void>;
}

export const pointer: Hand = {
  press: (target) => target.click(),
  tick: (box) => box.check(),
  write: async (field, text) => {
    await field.click();
    await replace(field, text);
  },
  choose: async (list, label) => {
    await list.selectOption({ label });
  },
};

export const keyboard: Hand = {
  press: async (target) => {
    await expect(target).toBeEnabled();
    await reach(target);
    await target.page().keyboard.press("Enter");
  },
  tick: async (box) => {
    await reach(box);
    await box.page().keyboard.press("Space");
    await expect(box).toBeChecked();
  },
  write: async (field, text) => {
    await reach(field);
    await replace(field, text);
  },
  choose: async (list, label) => {
    await expect(list.getByRole("option", { name: label, exact: true })).toBeAttached();
    await reach(list);
    // A list that gets no letter for a second takes the next one for the first of another label.
    await expect(async () => {
      await list.page().keyboard.type(label);
      await expect(list.locator("option:checked")).toHaveText(label, { timeout: 2_000 });
    }).toPass({ timeout: 60_000 });
  },
};

async function replace(field: Locator, text: string): Promise<void> {
  const { keyboard: keys } = field.page();
  await keys.press("ControlOrMeta+a");
  await keys.insertText(text);
}

/** More elements than any page has before the wanted one. */
const MOST_STEPS = 250;

/** Moves the focus to it as a keyboard does: by Tab, inside menus and rows of tabs by arrows. */
async function reach(target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  const role = await target.evaluate((element) => element.getAttribute("role"));
  if (role === "tab") await step(target.page().locator("[role=tab][aria-selected=true]"), "Tab");
  const keys: Record<string, string> = { tab: "ArrowRight", menuitem: "ArrowDown" };
  await step(target, keys[role ?? ""] ?? "Tab");
}

async function step(target: Locator, key: string): Promise<void> {
  for (let steps = 0; steps < MOST_STEPS; steps += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await target.page().keyboard.press(key);
  }
  throw new Error(`${key} does not lead to ${target}`);
}
