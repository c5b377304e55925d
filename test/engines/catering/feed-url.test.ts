import { expect, it } from "vitest";

import { feedPause, isSecure, readFeedUrl } from "../../../server/engines/catering/rules/feed-url.ts";

it.each([
  [" WEBCAL://calendar.example/a.ics?k=1", "https://calendar.example/a.ics?k=1"],
  ["webcals://calendar.example/a.ics", "https://calendar.example/a.ics"],
  ["https://calendar.example:8443/a.ics", "https://calendar.example:8443/a.ics"],
  ["http://calendar.example/a.ics", undefined],
  ["https://ada:secret@calendar.example/a.ics", undefined],
  ["https://ada@calendar.example/a.ics", undefined],
  ["file:///etc/passwd", undefined],
  ["calendar", undefined],
])("%s is fetched from %s", (text, href) => {
  expect(readFeedUrl(text)?.href).toBe(href);
});

it("where a redirect leads is held against the same rule", () => {
  const urls = ["https://calendar.example/", "http://calendar.example/", "https://:p@calendar.example/"];
  expect(urls.map((url) => isSecure(new URL(url)))).toEqual([true, false, false]);
});

it("is asked again after 15 minutes, and after six hours at most", () => {
  const minutes = [0, 1, 2, 4, 5, 400].map((failures) => feedPause(failures) / 60_000);
  expect(minutes).toEqual([15, 30, 60, 240, 360, 360]);
});
