import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { findPackageRoot } from "../../server/core/package-root.ts";

/** Modules whose pages customers of a store read. */
const PAGES = [
  /^core\/(face|page|refusal)\.ts$/,
  /^mail\/(blocks|links)\.ts$/,
  /^operations\/privacy\/links\.ts$/,
  /^engines\/allergens\/(rules\/render-sheet|routes\/(matrix|history-sheet|label))\.ts$/,
  /^engines\/\w+\/routes\/public(-\w+)*\.ts$/,
  /^engines\/catering\/routes\/(page|quote-page|rsvp-form)\.ts$/,
  /^engines\/forms\/rules\/render-form\.ts$/,
  /^engines\/subscriptions\/routes\/(customer-page|customer-actions|invoices)\.ts$/,
  /^site\/pages\/(signup|verify)\.ts$/,
];
const ROOT = join(findPackageRoot(), "server");

/** The literal texts of `html` templates, without values and tags. */
function textsOf(source: string): string[] {
  const texts: string[] = [];
  for (let from = source.indexOf("html`"); from >= 0; from = source.indexOf("html`", from + 5)) {
    let text = "";
    let depth = 0;
    for (let at = from + 5; at < source.length; at += 1) {
      const rest = source.slice(at, at + 2);
      if (depth === 0 && rest[0] === "`") break;
      if (depth === 0 && rest === "${") {
        depth = 1;
        at += 1;
      } else if (depth > 0) depth += rest[0] === "{" ? 1 : rest[0] === "}" ? -1 : 0;
      else text += rest[0];
    }
    texts.push(text.replaceAll(/<[^>]*>|<!doctype[^>]*>/gi, " "));
  }
  return texts;
}

it("pages for customers take their words from the catalogues alone", () => {
  const all = readdirSync(ROOT, { recursive: true, encoding: "utf8" });
  const files = all.filter((file) => PAGES.some((page) => page.test(file)));
  expect(files.length).toBeGreaterThan(18);
  const english = files.flatMap((file) =>
    textsOf(readFileSync(join(ROOT, file), "utf8"))
      .flatMap((text) => text.match(/\b[A-Z]?[a-z]{2,}( [a-z]+)+|\b[A-Z][a-z]{2,}\b/g) ?? [])
      .filter((words) => !/^(Authorization|Bearer)$/.test(words))
      .map((words) => `${file}: ${words}`),
  );
  expect(english).toEqual([]);
});
