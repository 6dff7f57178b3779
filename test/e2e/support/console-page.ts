// Actions in the console in a browser: open a page, type, press, wait for text.

import { type BrowserTab, openTab } from "./browser-tab.js";

const CODES: Readonly<Record<string, number>> = {
  ...{ Tab: 9, Enter: 13, Escape: 27, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40 },
  ...{ " ": 32, "/": 191, "[": 219, "]": 221, "?": 191 },
};
const MAX_STEPS = 80;

export class ConsolePage {
  private constructor(readonly tab: BrowserTab) {}

  static async start(browser: string): Promise<ConsolePage> {
    return new ConsolePage(await openTab(browser));
  }

  /** Opens a page such as `system`, and waits until it has content. */
  async open(adminPort: number, path: string, host = "127.0.0.1"): Promise<void> {
    await this.tab.open(`http://${host}:${adminPort}/${path}`);
    await this.tab.until(
      `location.port === "${adminPort}" && document.querySelector("h1") !== null`,
    );
  }

  /** Waits until the page shows a text. */
  has(text: string): Promise<void> {
    return this.tab.until(
      `document.querySelector("main")?.innerText.includes(${JSON.stringify(text)}) === true`,
    );
  }

  hasNot(text: string): Promise<void> {
    return this.tab.until(
      `document.querySelector("main")?.innerText.includes(${JSON.stringify(text)}) === false`,
    );
  }

  /** Replaces the content of a field. */
  async type(selector: string, text: string): Promise<void> {
    await this.tab.until(`document.querySelector(${JSON.stringify(selector)}) !== null`);
    await this.tab.value(`(() => {
      const field = document.querySelector(${JSON.stringify(selector)});
      field.value = ${JSON.stringify(text)};
      field.dispatchEvent(new Event("input", { bubbles: true }));
      field.dispatchEvent(new Event("change", { bubbles: true }));
    })()`);
  }

  /**
   * Presses a button or follows a link once it exists and is enabled. Its label counts, the first
   * line of its text, the text before a number, or all of it on one line without `…`.
   */
  async press(text: string, within = "body"): Promise<void> {
    const matching = `[...document.querySelectorAll(${JSON.stringify(within)} + " :is(button, a)")]
      .find(({ innerText, ariaLabel, firstChild }) => {
        const line = innerText.trim().replace(/\\s+/g, " ").replace(/…$/, "");
        const before = firstChild?.nodeValue?.trim();
        const names = [ariaLabel, before, innerText.trim().split("\\n", 1)[0], line];
        return names.includes(${JSON.stringify(text)});
      })`;
    await this.tab.until(`(() => { const it = ${matching}; return !!it && !it.disabled; })()`);
    await this.tab.value(`${matching}.click()`);
  }

  /** Presses a key, such as `Tab`, `g` or `Control+k`. */
  async key(name: string): Promise<void> {
    const [key = "", modifier] = name.split("+").reverse();
    const code = CODES[key] ?? key.toUpperCase().charCodeAt(0);
    const text = key === "Enter" ? "\r" : key;
    const hasText = modifier === undefined && text.length === 1;
    const stroke = {
      ...{ key, windowsVirtualKeyCode: code, modifiers: modifier === "Control" ? 2 : 0 },
      ...(hasText && { text }),
    };
    const type = hasText ? "keyDown" : "rawKeyDown";
    await this.tab.send("Input.dispatchKeyEvent", { type, ...stroke });
    await this.tab.send("Input.dispatchKeyEvent", { ...stroke, type: "keyUp" });
  }

  /** Presses keys until an element with such a text has the focus. */
  async focus(text: string, key = "Tab"): Promise<void> {
    const isFocused = `[document.activeElement.innerText, document.activeElement.ariaLabel,
      document.activeElement.id].some((name) => name?.trim().startsWith(${JSON.stringify(text)}))`;
    for (let step = 0; step < MAX_STEPS; step++) {
      if ((await this.tab.value(isFocused)) === true) return;
      await this.key(key);
    }
    throw new Error(`no focus on ${text}`);
  }

  async theme(theme: "light" | "dark"): Promise<void> {
    // Without transitions, colors are final at once.
    const features = [
      { name: "prefers-color-scheme", value: theme },
      { name: "prefers-reduced-motion", value: "reduce" },
    ];
    await this.tab.send("Emulation.setEmulatedMedia", { features });
  }

  close(): Promise<void> {
    return this.tab.close();
  }
}
