import { expect, it } from "vitest";

import { lastSegment, normaliseUrl } from "../../../server/engines/content/rules/article-url.ts";

it.each([
  ["https://Crumb.Example/Blog/Rye#top", "https://crumb.example/Blog/Rye"],
  ["https://crumb.example:443/a?b=2&a=1&utm_source=x&UTM_medium=y", "https://crumb.example/a?a=1&b=2"],
  ["http://crumb.example", "http://crumb.example/"],
  ["https://crumb.example/a?b=1&b=0", "https://crumb.example/a?b=0&b=1"],
  ["ftp://crumb.example/a", null],
  ["https://user:pw@crumb.example/", null],
  ["/relative", null],
  [`https://crumb.example/${"a".repeat(1_000)}`, null],
])("makes %s %j", (url, normal) => {
  expect(normaliseUrl(url)).toBe(normal);
  if (normal !== null) expect(normaliseUrl(normal)).toBe(normal);
});

it("takes the last part of a path for a slug", () => {
  expect(lastSegment("https://a.example/blog/rye-bread.html")).toBe("rye-bread");
  expect(lastSegment("https://a.example/blog/rye-bread/")).toBe("rye-bread");
  expect(lastSegment("https://a.example/")).toBe("");
});
