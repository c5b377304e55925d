import { expect, it } from "vitest";

import {
  badRobotsLines,
  technicalAudits,
  technicalScore,
} from "../../../server/engines/content/rules/technical.ts";
import type { TechnicalFacts } from "../../../server/engines/content/rules/technical.ts";

const url = "https://crumb.example/blog/rye";
const good: TechnicalFacts = {
  status: 200,
  title: "Rye",
  description: "Rye bread",
  noindex: false,
  robotsAllow: true,
  robotsTxt: { status: 200, badLines: 0 },
  links: [{ text: "Our rye bread", rel: [""] }],
  uncrawlable: 0,
  images: [{ alt: "" }],
  hreflang: [{ lang: "en-GB", href: url }],
  canonicals: [url],
  url,
};

it("weighs indexing like about four others: a page that may not be indexed has 69", () => {
  expect(technicalScore(technicalAudits(good))).toBe(100);
  expect(technicalScore(technicalAudits({ ...good, noindex: true }))).toBe(69);
  expect(technicalAudits(good)).toHaveLength(10);
});

it.each([
  ["is-crawlable", { robotsAllow: false }, false],
  ["is-crawlable", { robotsAllow: null }, true],
  ["document-title", { title: null }, false],
  ["meta-description", { description: "" }, false],
  ["http-status-code", { status: 404 }, false],
  ["link-text", { links: [{ text: " Click here ", rel: [""] }] }, false],
  ["link-text", { links: [{ text: "more", rel: ["nofollow"] }] }, true],
  ["crawlable-anchors", { uncrawlable: 1 }, false],
  ["robots-txt", { robotsTxt: null }, null],
  ["robots-txt", { robotsTxt: { status: 404, badLines: 0 } }, null],
  ["robots-txt", { robotsTxt: { status: 503, badLines: 0 } }, false],
  ["robots-txt", { robotsTxt: { status: 200, badLines: 2 } }, false],
  ["image-alt", { images: [] }, null],
  ["image-alt", { images: [{ alt: null }] }, false],
  ["hreflang", { hreflang: [] }, null],
  ["hreflang", { hreflang: [{ lang: "x-default", href: url }] }, true],
  ["hreflang", { hreflang: [{ lang: "english!", href: url }] }, false],
  ["hreflang", { hreflang: [{ lang: "en", href: "/en" }] }, false],
  ["canonical", { canonicals: [] }, null],
  ["canonical", { canonicals: [url, "https://crumb.example/other"] }, false],
  ["canonical", { canonicals: ["/blog/rye"] }, false],
  ["canonical", { canonicals: ["https://crumb.example/"] }, false],
  ["canonical", { canonicals: ["https://other.example/"] }, true],
] as const)("%s with %j: %s", (id, members, passed) => {
  const audit = technicalAudits({ ...good, ...members }).find((one) => one.id === id);
  expect(audit?.passed).toBe(passed);
  expect(audit?.detail === null).toBe(passed !== false);
});

it("counts lines of robots.txt that nobody understands", () => {
  expect(badRobotsLines("User-agent: *\n# note\nDisallow: /cart # why\n\nSitemap: https://a.b/s.xml")).toBe(
    0,
  );
  expect(badRobotsLines("<html>\nDissallow: /\nallow /")).toBe(3);
});
