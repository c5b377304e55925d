import { expect, it } from "vitest";

import { HAS_BROWSER, openBrowser, violations } from "../support/browser.ts";
import { createVisit, hostedPages } from "./hosted-pages.ts";

const LOOKS = [
  { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
  { viewport: { width: 1280, height: 900 }, colorScheme: "light" },
] as const;

it.runIf(HAS_BROWSER)(
  "every page for customers and staff fits a phone and a desktop, and axe finds nothing",
  async () => {
    const browser = await openBrowser();
    const windows = await Promise.all(LOOKS.map((look) => browser.open(look)));
    const seen = new Set<string>();
    for (const [name, play] of Object.entries(hostedPages)) {
      // German words are longer than English ones.
      const visit = await createVisit("de-DE");
      const answers = (await play(visit)).filter(({ text }) => text.includes("<html"));
      await visit.harness.close();
      for (const { text } of answers) {
        // The same page with other ids looks the same.
        const shape = `${name} ${text.length}`;
        if (seen.has(shape)) continue;
        seen.add(shape);
        for (const { page } of windows) {
          await page.setContent(text.replace(/<meta http-equiv="refresh"[^>]*>/, ""));
          const excess = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
          expect([name, excess, await violations(page)]).toEqual([name, 0, []]);
        }
      }
    }
    expect(seen.size).toBeGreaterThan(60);
    await browser.close();
  },
  240_000,
);

it.runIf(HAS_BROWSER)(
  "a printed invoice begins with the name of the store above its own left edge",
  async () => {
    const browser = await openBrowser();
    const visit = await createVisit("en-GB");
    const [shown] = (await hostedPages["public.invoices.show"]?.(visit)) ?? [];
    await visit.harness.close();
    const { page } = await browser.open({ viewport: { width: 800, height: 900 } });
    await page.setContent(shown?.text ?? "");
    await page.emulateMedia({ media: "print" });
    const left = (selector: string) =>
      page.evaluate(`document.querySelector("${selector}").getBoundingClientRect().left`);
    expect(await left("header .brand")).toBe(await left("main h1"));
    await browser.close();
  },
);
