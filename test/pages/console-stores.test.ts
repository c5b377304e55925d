import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { shops } from "../../server/core/shop.ts";
import { storePartition } from "../../server/core/partitions.ts";
import { DRAWINGS } from "../../server/site/console/drawn/drawings.ts";
import { groupPatterns } from "../../server/site/console/drawn/outcode-tiles.ts";
import { spanOf } from "../../server/site/console/drawn/slots.ts";
import { drawMap, niceLength } from "../../server/site/console/drawn/zone-map.ts";
import { createHarness } from "../harness.ts";
import type { Answer, Harness } from "../harness.ts";

const asForm = { "content-type": "application/x-www-form-urlencoded" };
let harness: Harness;
let cookie = "";
let demo = "";
let empty = "";

async function logIn(token?: string): Promise<string> {
  const path = "/api/platform/admin/console/links";
  const made =
    token === undefined
      ? await harness.admin("POST", path)
      : await harness.call("POST", path, { headers: { authorization: `Bearer ${token}` } });
  const link = new URL(made.json.data.url).pathname.split("/").at(-1) ?? "";
  const answer = await harness.call("POST", "/_/setup", {
    headers: asForm,
    body: new URLSearchParams({ token: link }).toString(),
  });
  return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
}

const open = (path: string, session = cookie): Promise<Answer> =>
  harness.call("GET", path, { headers: { cookie: session } });
const textOf = (page: Answer): string =>
  page.text
    .replaceAll(/<style.*?<\/style>|<[^>]+>/gs, " ")
    .replaceAll("&#39;", "'")
    .replaceAll(/\s+/g, " ");

beforeAll(async () => {
  // A Monday morning, when the demo shop delivers.
  harness = await createHarness({
    now: "2026-06-01T09:00:00.000Z",
    config: { baseUrl: "http://127.0.0.1" },
  });
  const seeded = await harness.admin("POST", "/api/platform/admin/seed", { body: {} });
  demo = `/_/stores/${seeded.json.data.store_id}`;
  empty = `/_/stores/${(await harness.key()).storeId}`;
  cookie = await logIn();
});
afterAll(() => harness.close());

describe("the pages of a store in the console", () => {
  it("are linked from the store and from each other", async () => {
    for (const path of [demo, ...DRAWINGS.map((each) => `${demo}/${each.path}`)]) {
      const page = await open(path);
      expect([path, page.status]).toEqual([path, 200]);
      for (const each of DRAWINGS) expect(page.text).toContain(`href="${demo}/${each.path}"`);
    }
  });

  it.each(DRAWINGS.map(({ path }) => path))("say what is missing: %s", async (path) => {
    const page = await open(`${empty}/${path}`);
    expect(page.status).toBe(200);
    expect(page.text).toContain('<p role="status">');
    expect(textOf(page)).toMatch(/This store has no /);
  });

  it.each(DRAWINGS.map(({ path }) => path))("are for operators, of any role: %s", async (path) => {
    expect((await harness.call("GET", `${demo}/${path}`)).status).toBe(401);
    expect((await open(`/_/stores/sto_00000000000000000000000000/${path}`)).status).toBe(404);
    const name = `viewer-${path}`;
    const made = await harness.admin("POST", "/api/platform/admin/operators", {
      body: { name, role: "viewer" },
    });
    const page = await open(`${demo}/${path}`, await logIn(made.json.data.token));
    expect(page.status).toBe(200);
    expect(page.text).not.toContain('method="post" action="/_/stores');
  });

  it("draw each outcode with the zone that the API finds for it", async () => {
    const key = await demoKey();
    const page = await open(`${demo}/zones`);
    const numbers = new Map(
      [...page.text.matchAll(/<b class="number[^"]*">(\d+)<\/b><\/td>\s*<td>([^<]+)</g)].map(
        ([, number = "", name = ""]) => [number, name],
      ),
    );
    const tiles = [
      ...page.text.matchAll(/<span>([A-Z0-9 ]+)<\/span>\s*(?:<small>no zone|.*?<b[^>]*>(\d+)<)/gs),
    ];
    const drawn = tiles.map(([, code = "", number]) => [code, numbers.get(number ?? "") ?? null]);
    expect(drawn.length).toBeGreaterThan(10);
    for (const [code, name] of drawn) {
      const { json } = await harness.call("GET", `/v1/delivery/outcodes/${code}`, { key });
      expect([code, name]).toEqual([code, json.data.zone?.name ?? null]);
    }
    // Excluded from one zone, and therefore in the next.
    expect(drawn).toContainEqual(["SW1X", "Inner south London"]);
    expect(drawn).toContainEqual(["SE28", null]);
  });

  it("draw what is booked, held and left of each slot, and why a slot is closed", async () => {
    const key = await demoKey();
    const zones = await harness.call("GET", "/v1/delivery/zones", { key });
    const zone = zones.json.data.find(({ name }: { name: string }) => name.startsWith("Westminster"));
    const block = { date: "2026-06-09", reason: "Stocktaking" };
    await harness.call("POST", "/v1/delivery/blocked-dates", { key, body: block });
    const listed = await harness.call("GET", `/v1/delivery/slots?zone_id=${zone.id}&limit=100`, { key });
    const slots: { status: string; booked: number; held: number; capacity: number; remaining: number }[] =
      listed.json.data;
    for (const { booked, capacity, held, remaining } of slots)
      expect(booked + held + remaining).toBe(capacity);
    const page = await open(`${demo}/slots?place=${zone.id}`);
    const text = textOf(page);
    expect(text).toContain("Local times of the store (Europe/London).");
    expect(page.text).toContain('<th scope="row" lang="en-GB">Tue 2 Jun</th>');
    expect(page.text.match(/class="slot /g)).toHaveLength(slots.length);
    for (const { status, booked, held, capacity, remaining } of slots) {
      if (status === "open") expect(text).toContain(`${remaining} of ${capacity} left`);
      if (booked > 0) expect(text).toContain(`${booked} booked`);
      if (held > 0) expect(text).toContain(`${held} held`);
    }
    expect(text).toContain("Blocked The day is blocked: Stocktaking.");
  });

  it("draw the menu in the language, currency and time zone of the store", async () => {
    const part = storePartition(demo.split("/").at(-1) ?? "", "live");
    const british = textOf(await open(`${demo}/menu`));
    expect(british).toContain("£4.50");
    expect(british).toContain("Contains: rye, wheat.");
    await harness.services.runTx(part, async (tx) => {
      const before = await tx.require(shops, "shop");
      tx.put(shops, before, { ...before.value, locale: "de-DE" });
    });
    const page = await open(`${demo}/menu`);
    expect(page.text).toContain('<section class="guest" lang="de-DE">');
    const german = textOf(page);
    expect(german).toMatch(/4,50\s£/);
    expect(german).toContain("Enthält:");
    expect(german).toContain("1. Juni 2026 um 10:00 (Europe/London)");
    expect(textOf(await open(`${demo}/slots`))).toMatch(/Di\., 2\. Juni/);
    expect(textOf(await open(`${demo}/zones`))).toMatch(/4,99\s£/);
    await harness.services.runTx(part, async (tx) => {
      const before = await tx.require(shops, "shop");
      tx.put(shops, before, { ...before.value, locale: "en-GB" });
    });
  });

  it("frame the label of a product exactly as the API prints it", async () => {
    const page = await open(`${demo}/labels`);
    const [, address = ""] = /<iframe class="label" src="([^"]+)"/.exec(page.text) ?? [];
    expect(page.headers.get("content-security-policy")).toContain("frame-src 'self'");
    const label = await open(address);
    expect(label.headers.get("content-security-policy")).toContain("frame-ancestors 'self'");
    const product = address.split("/").at(-1) ?? "";
    const printed = await harness.call("GET", `/v1/allergens/products/${product}/label?format=html`, {
      key: await demoKey(),
    });
    expect(label.text).toBe(printed.text);
    expect(printed.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  });
});

async function demoKey(): Promise<string> {
  const customers = await harness.admin("GET", "/api/platform/admin/customers?email=demo@bakery.example");
  const made = await harness.admin("POST", "/api/platform/admin/keys", {
    body: { customer_id: customers.json.data[0].id, preset: "full" },
  });
  return made.json.data.api_key;
}

describe("what they are drawn from", () => {
  const row = (pattern: string, level: string, zone_id = "a", exclude = false) => ({
    pattern,
    level,
    zone_id,
    exclude,
  });

  it("groups patterns by area, with ranges as districts and the rest last", () => {
    const groups = groupPatterns([
      row("SW", "area"),
      row("SW10", "district"),
      row("SW1-SW3", "range"),
      row("SW2", "district", "b", true),
      row("*", "all", "c"),
      row("E1 6AN", "unit"),
      row("10115", "unit"),
      row("10*", "prefix"),
    ]);
    expect(groups.map(({ name, tiles }) => [name, tiles.map(({ text }) => text)])).toEqual([
      ["10", ["10*", "10115"]],
      ["E", ["E1 6AN"]],
      ["SW", ["SW1", "SW2", "SW3", "SW10", "SW"]],
      ["*", ["*"]],
    ]);
    expect(groups[2]?.tiles[1]).toEqual({ text: "SW2", isCode: true, zoneIds: ["a"], excludedBy: ["b"] });
  });

  it("draws areas to scale: a circle of 1 km is as wide as 2 km of the bar", () => {
    const mapped = (number: number, longitude: number) => ({
      number,
      name: `Zone ${number}`,
      look: "route-0",
      area: {
        type: "Circle" as const,
        coordinates: [longitude, 51.5] as [number, number],
        radius_meters: 1000,
      },
    });
    // At 51.5 degrees north, 0.1 degrees of longitude are 6,922 m.
    const svg = drawMap([mapped(1, 0), mapped(2, 0.1)])?.html ?? "";
    const circles = [...svg.matchAll(/cx="([\d.]+)" cy="[\d.]+" r="([\d.]+)"/g)].map(([, x, r]) => [
      Number(x),
      Number(r),
    ]);
    const [[x1 = 0, radius = 0] = [], [x2 = 0] = []] = circles;
    expect((x2 - x1) / radius).toBeCloseTo(6.922, 1);
    const [, bar = "0"] = /v6h([\d.]+)v-6/.exec(svg) ?? [];
    const [, meters = "0"] = /data-meters="(\d+)"/.exec(svg) ?? [];
    expect(Number(bar) / Number(meters)).toBeCloseTo(radius / 1000, 3);
    expect(svg).toContain("Length of the bar: 2 km");
    expect(drawMap([])).toBeNull();
  });

  it.each([
    [1, 1],
    [9, 5],
    [199, 100],
    [200, 200],
    [4_999, 2_000],
    [70_000, 50_000],
  ])("picks a round length of at most %d m for the bar: %d m", (longest, length) =>
    expect(niceLength(longest)).toBe(length),
  );

  it.each([
    [undefined, { from: "2026-06-01", to: "2026-06-14", before: null, after: "2026-06-15" }],
    ["2026-06-15", { from: "2026-06-15", to: "2026-06-21", before: "2026-06-01", after: null }],
    ["2026-06-05", { from: "2026-06-05", to: "2026-06-18", before: "2026-06-01", after: "2026-06-19" }],
    ["2027-01-01", { from: "2026-06-01", to: "2026-06-14", before: null, after: "2026-06-15" }],
    ["soon", { from: "2026-06-01", to: "2026-06-14", before: null, after: "2026-06-15" }],
  ])("shows two weeks from %s within the horizon", (from, span) =>
    expect(spanOf(from, "2026-06-01", 21)).toEqual(span),
  );
});
