import { describe, expect, it } from "vitest";

import { harmlessSources, isHarmlessUrl } from "../../../server/lib/text/urls.ts";

describe("isHarmlessUrl", () => {
  it.each([
    "https://a.example/b?c=1",
    "HTTP://A.EXAMPLE",
    "mailto:ada@shop.example",
    "tel:+442079460018",
    "/b",
    "b/c:d",
    "#a:b",
    "?q=a:b",
    "12:30",
    "über:uns",
    "",
  ])("allows %j", (url) => expect(isHarmlessUrl(url)).toBe(true));

  it.each([
    "javascript:x",
    "java\tscript:x",
    "\u0001javascript:x",
    " JaVaScRiPt:x",
    "data:text/html,x",
    "vbscript:x",
    "blob:https://a.example/1",
    "file:///etc/passwd",
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "\n//evil.example",
    "http://",
  ])("refuses %j", (url) => expect(isHarmlessUrl(url)).toBe(false));
});

it.each([
  ["a.png", "a.png"],
  ["a.png 1x, b.png 2x", "a.png 1x, b.png 2x"],
  ["a.png 300w,b.png 600w", "a.png 300w, b.png 600w"],
  ["https://a.example/w_1,h_2/a.png 1.5x", "https://a.example/w_1,h_2/a.png 1.5x"],
  ["javascript:x 1x, b.png 2x", "b.png 2x"],
  ["//evil.example/a.png, a.png 1x onerror=x", ""],
  [",,,", ""],
])("reads the sources %j as %j", (srcset, sources) => expect(harmlessSources(srcset)).toBe(sources));
