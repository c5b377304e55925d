import { expect, it } from "vitest";

import { postUrl, slugOfUrl } from "../../../server/engines/content/rules/post-url.ts";

const site = { site_url: "https://crumb.example", post_path: "/blog/{slug}" };

it("says where a post stands", () => {
  expect(postUrl(site, "rye")).toBe("https://crumb.example/blog/rye");
  expect(postUrl({ ...site, site_url: null }, "rye")).toBeNull();
  expect(postUrl({ ...site, post_path: "/{slug}/" }, "rye")).toBe("https://crumb.example/rye/");
});

it.each([
  ["https://crumb.example/blog/rye", "rye"],
  ["https://crumb.example/blog/rye/", "rye"],
  ["/blog/rye?x=1", "rye"],
  ["https://crumb.example/shop/rye", null],
  ["https://other.example/blog/rye", null],
  ["https://crumb.example/blog/a/b", null],
  ["https://crumb.example/blog/", null],
  ["http://[", null],
])("reads %s as %j", (url, slug) => expect(slugOfUrl(site, url)).toBe(slug));
