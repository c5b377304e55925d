import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { readFeeds } from "../../../../server/engines/catering/jobs/feeds.ts";
import type { Ports } from "../../../../server/core/ports.ts";
import { createFetch } from "../../../../server/outgoing/fetch.ts";
import { createShop, pointersOf, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

const calendar = (heads: number): string =>
  [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "BEGIN:VEVENT",
    "UID:1",
    "DTSTART:20260609T113000Z",
    "SUMMARY:Team lunch",
    `X-HEADCOUNT:${heads}`,
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n");

const unreadable = calendar(18).replace("SUMMARY:", "SUMMARY;VALUE=DATE:");

type Handle = (req: IncomingMessage, res: ServerResponse) => void;
const PATH = "/ical/ada%40office.example/private-77aa/basic.ics";
const URL_OF_ADA = `webcal://calendar.example${PATH}`;

let server: Server;
let handle: Handle;
let asked: IncomingMessage[];
let shop: Shop;
beforeEach(async () => {
  asked = [];
  server = createServer((req, res) => {
    asked.push(req);
    handle(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  // A real server and the guarded client, to which the operator lets this machine through; only TLS is left out.
  const reach = createFetch({ allowPrivate: false, allow: ["127.0.0.1"] });
  const fetch: Ports["fetch"] = (request) =>
    reach({
      ...request,
      url: request.url.replace(/^https:\/\/calendar\.example/, `http://127.0.0.1:${port}`),
    });
  shop = await createShop({ fetch });
});
afterEach(async () => {
  await shop.harness.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const source = (more: object = {}) =>
  shop.make("/headcount-sources", {
    title: "Lunch",
    kind: "calendar_feed",
    mode: "number",
    url: URL_OF_ADA,
    ...more,
  });
const look = (id: string) => shop.read(`/headcount-sources/${id}`);
const counts = async (id: string): Promise<number[]> =>
  (await shop.read(`/headcount-sources/${id}/counts`)).map(({ count }: { count: number }) => count);
const MINUTE = 60_000;
const validatorsOf = (req: IncomingMessage | undefined) => [
  req?.headers["if-none-match"],
  req?.headers["if-modified-since"],
];

describe("a calendar at an address", () => {
  it("is fetched, asked again only for what changed, and read whole once a day", async () => {
    const modified = "Mon, 01 Jun 2026 08:00:00 GMT";
    let heads = 18;
    handle = (req, res) => {
      const tag = `"${heads}"`;
      if (req.headers["if-none-match"] === tag) return res.writeHead(304).end();
      return res.writeHead(200, { etag: tag, "last-modified": modified }).end(calendar(heads));
    };
    const { id } = await source();
    expect(await shop.run(readFeeds)).toEqual({ read: 1, same: 0, failed: 0 });
    expect([await counts(id), asked[0]?.url]).toEqual([[18], PATH]);
    // Four times an hour, and no more.
    shop.harness.clock.advance(14 * MINUTE);
    expect(await shop.run(readFeeds)).toEqual({ read: 0, same: 0, failed: 0 });
    shop.harness.clock.advance(MINUTE);
    expect(await shop.run(readFeeds)).toEqual({ read: 0, same: 1, failed: 0 });
    expect(validatorsOf(asked[1])).toEqual(['"18"', modified]);
    expect(await look(id)).toMatchObject({
      last_ok_at: "2026-06-01T09:15:00.000Z",
      feed: { host: "calendar.example", checked_at: "2026-06-01T09:15:00.000Z", error: null },
    });
    heads = 23;
    shop.harness.clock.advance(15 * MINUTE);
    expect(await shop.run(readFeeds)).toMatchObject({ read: 1 });
    expect(await counts(id)).toEqual([23]);
    shop.harness.clock.advance(24 * 60 * MINUTE);
    expect(await shop.run(readFeeds)).toMatchObject({ read: 1 });
    expect(validatorsOf(asked.at(-1))).toEqual([undefined, undefined]);
  });

  it("keeps what was known while it fails, asks less often, and never shows the address", async () => {
    handle = (_req, res) => res.writeHead(200).end(calendar(18));
    const { id } = await source();
    await shop.run(readFeeds);
    handle = (_req, res) => res.writeHead(503).end();
    shop.harness.clock.advance(15 * MINUTE);
    expect(await shop.run(readFeeds)).toMatchObject({ failed: 1 });
    const failed = await look(id);
    expect(failed).toMatchObject({
      last_ok_at: "2026-06-01T09:00:00.000Z",
      feed: { error: "It answers with status 503." },
    });
    expect(await counts(id)).toEqual([18]);
    shop.harness.clock.advance(29 * MINUTE);
    expect(await shop.run(readFeeds)).toMatchObject({ failed: 0 });
    handle = (req) => req.socket.destroy();
    shop.harness.clock.advance(MINUTE);
    expect(await shop.run(readFeeds)).toMatchObject({ failed: 1 });
    for (const answer of [await shop.get(`/headcount-sources/${id}`), await shop.get("/headcount-sources")])
      expect(answer.text).not.toContain("private-77aa");
  });

  it.each<[string, string, Handle]>([
    ["no calendar", "There is no VCALENDAR|Not a calendar", (_req, res) => res.end("<html>")],
    ["a value that cannot be read", "Not a calendar: ", (_req, res) => res.end(unreadable)],
    ["more than 2 MB", "It is larger than 2000000 bytes.", (_req, res) => res.end("x".repeat(2_000_001))],
    [
      "a redirect to plain HTTP",
      "without https",
      (_req, res) => res.writeHead(302, { location: "http://127.0.0.1:9/private-77aa" }).end(),
    ],
    [
      "a redirect into the private network",
      "no public address",
      (_req, res) => res.writeHead(302, { location: "https://10.0.0.7/private-77aa" }).end(),
    ],
    [
      "no end of redirects",
      "more than three times",
      (_req, res) => res.writeHead(302, { location: `https://calendar.example/${asked.length}` }).end(),
    ],
    ["a 304 that nobody asked for", "status 304", (_req, res) => res.writeHead(304).end()],
  ])("says what is wrong with %s", async (_, detail, answer) => {
    handle = answer;
    const { id } = await source();
    const refused = await shop.post(`/headcount-sources/${id}/refresh`, {});
    expect(refusal(refused)).toBe("409 feed_unreadable");
    expect(refused.json.error.detail).toMatch(new RegExp(detail));
    expect(refused.text).not.toContain("private-77aa");
    expect(await look(id)).toMatchObject({ last_ok_at: null, feed: { error: refused.json.error.detail } });
  });

  it("does not wait for calendars with values that cannot be read", async () => {
    handle = (req, res) => res.end(req.url?.startsWith("/bad") === true ? unreadable : calendar(18));
    for (let n = 0; n < 5; n += 1) await source({ url: `https://calendar.example/bad${n}.ics` });
    shop.harness.clock.advance(1);
    const { id } = await source();
    expect(await shop.run(readFeeds)).toEqual({ read: 1, same: 0, failed: 5 });
    expect(await counts(id)).toEqual([18]);
  });

  it("is fetched also where another one fails in a way that nobody foresaw", async () => {
    await shop.harness.close();
    const fetched: string[] = [];
    const fetch: Ports["fetch"] = ({ url }) => {
      fetched.push(url);
      if (url.includes("odd")) return Promise.reject(new TypeError("A fault of ours"));
      const body = new TextEncoder().encode(calendar(18));
      const text = (): string => calendar(18);
      return Promise.resolve({ status: 200, headers: {}, body, isCut: false, location: null, text });
    };
    shop = await createShop({ fetch });
    for (const host of ["odd", "a", "b", "c", "d", "e"])
      await source({ url: `https://${host}.example/a.ics` });
    expect(await shop.run(readFeeds)).toEqual({ read: 5, same: 0, failed: 1 });
    expect(fetched).toHaveLength(6);
  });

  it("is fetched when asked, anew when the source changes, and not when it is archived", async () => {
    handle = (_req, res) => res.writeHead(200, { etag: '"1"' }).end(calendar(18));
    const { id } = await source();
    const read = await shop.make(`/headcount-sources/${id}/refresh`, {});
    expect([read.days[0].count, read.source.feed.error]).toEqual([18, null]);
    await shop.patch(`/headcount-sources/${id}`, { mode: "events" });
    await shop.run(readFeeds);
    expect([await counts(id), validatorsOf(asked[1])]).toEqual([[1], [undefined, undefined]]);
    await shop.patch(`/headcount-sources/${id}`, { status: "archived" });
    shop.harness.clock.advance(60 * MINUTE);
    await shop.run(readFeeds);
    expect(asked).toHaveLength(2);
    await shop.patch(`/headcount-sources/${id}`, { status: "active", url: null });
    expect(await look(id)).toMatchObject({ feed: null });
    expect(await shop.run(readFeeds)).toEqual({ read: 0, same: 0, failed: 0 });
  });

  it("has not failed where the process ends, or loses the job, while it is fetched", async () => {
    const ending = new AbortController();
    handle = () => ending.abort();
    const { id } = await source();
    expect(await shop.run(readFeeds, ending.signal)).toEqual({ read: 0, same: 1, failed: 0 });
    expect(await look(id)).toMatchObject({ last_ok_at: null, feed: { error: null } });
    handle = (_req, res) => res.end(calendar(18));
    expect(await shop.run(readFeeds)).toEqual({ read: 1, same: 0, failed: 0 });
  });

  it("does not keep what an old address answers after it was changed", async () => {
    const { id } = await source();
    let isFirst = true;
    handle = (_req, res) => {
      if (!isFirst) return res.end(calendar(30));
      isFirst = false;
      return void shop
        .patch(`/headcount-sources/${id}`, { url: "https://calendar.example/other.ics" })
        .then(() => res.end(calendar(18)));
    };
    await shop.run(readFeeds);
    expect([await counts(id), (await look(id)).last_ok_at]).toEqual([[], null]);
    await shop.run(readFeeds);
    expect(await counts(id)).toEqual([30]);
  });
});

describe("addresses", () => {
  it.each([
    ["http://calendar.example/a.ics"],
    ["https://ada:secret@calendar.example/a.ics"],
    ["file:///etc/passwd"],
    ["calendar"],
  ])("422 for %s", async (url) => {
    const body = { title: "Lunch", kind: "calendar_feed", url };
    expect(pointersOf(await shop.post("/headcount-sources", body))).toEqual(["#/url"]);
  });

  it("422 where nothing is fetched", async () => {
    const body = { title: "Lunch", kind: "rsvp", url: "https://calendar.example/a.ics" };
    expect(pointersOf(await shop.post("/headcount-sources", body))).toEqual(["#/url"]);
  });
});
