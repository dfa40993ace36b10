import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";
import { speakInside } from "~/i18n";

await speakInside();
afterEach(cleanup);
// A deadline, not a speed: a busy machine is slow, and nothing is wrong then.
configure({ asyncUtilTimeout: 20_000 });

// What Mantine asks of a browser and jsdom lacks.
window.matchMedia ??= vi.fn().mockImplementation((query: string) => ({
  matches: false,
  media: query,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
  addListener: () => undefined,
  removeListener: () => undefined,
  dispatchEvent: () => false,
}));
window.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
window.HTMLElement.prototype.scrollIntoView ??= () => undefined;
