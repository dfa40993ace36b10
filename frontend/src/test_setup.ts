import { cleanup, configure, getConfig } from "@testing-library/react";
import { afterEach, vi } from "vitest";
import { speakInside } from "~/i18n";

await speakInside();
afterEach(cleanup);
// A deadline, not a speed: a busy machine is slow, and nothing is wrong then.
configure({ asyncUtilTimeout: 20_000 });

// Each failed attempt of `findBy` and `waitFor` would print the whole page into an error that is
// thrown away. The error of the last attempt gets the page when the time is up.
const { getElementError } = getConfig();
configure({
  getElementError: (message, container) => {
    const polls = (getConfig() as { _disableExpensiveErrorDiagnostics?: boolean })
      ._disableExpensiveErrorDiagnostics;
    return polls ? new Error(message ?? "") : getElementError(message, container);
  },
});

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
// Fields that grow with their text measure it again when fonts have arrived.
if (!("fonts" in document)) {
  Object.defineProperty(document, "fonts", { value: new EventTarget() });
}
