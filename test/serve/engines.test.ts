import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { strFromU8, unzipSync } from "fflate";

import { ConfigError } from "../../server/config/error.ts";
import type { UserConfig } from "../../server/config/define.ts";
import { ERASED_EMAIL } from "../../server/engine.ts";
import { fail } from "../../server/lib/errors.ts";
import { closeWorkers } from "../../server/lib/worker-tasks.ts";
import { createSystemRandom } from "../../server/core/ids.ts";
import { makeKey } from "../../server/core/key-format.ts";
import { createPlatform } from "../../server/platform.ts";
import type { Platform } from "../../server/platform.ts";
import type { Hooks } from "../../server/core/hooks.ts";
import { cards, giftCards } from "./gift-cards.ts";
import { countCodes } from "./own-task.ts";
import { createCleanup, makeFolder } from "./rig.ts";
import { eventually } from "./outside.ts";

const cleanup = createCleanup();
afterAll(() => cleanup.run());

const token = makeKey("admin", createSystemRandom());
const ADMIN = "/api/platform/admin";

async function open(more: UserConfig): Promise<Platform> {
  const platform = await createPlatform({
    cwd: await makeFolder(cleanup),
    config: {
      storage: { driver: "memory" },
      mail: { transport: "console" },
      log: { level: "silent" },
      baseUrl: "https://shop.example",
      admin: { token },
      ...more,
    },
  });
  cleanup.add(() => platform.close());
  return platform;
}

const seen: string[] = [];
const HOOKS: Hooks = {
  "gift_cards.cards.create": {
    before({ body }) {
      if (JSON.stringify(body).includes("9999"))
        throw fail("conflict", "Cards over 99 pounds need a manager.", { code: "too_much" });
    },
    async after({ body }, { tx }, { kind }) {
      seen.push(kind, String((await tx.peekPage(cards, { index: "new", limit: 1 })).items.length));
      if (JSON.stringify(body).includes("8888")) throw fail("conflict", "Not today.", { code: "closed" });
    },
  },
};

let platform: Platform;
let customer: string;
let full: string;
beforeAll(async () => {
  platform = await open({ engines: [giftCards()], hooks: HOOKS });
  const seeded = await call("POST", `${ADMIN}/seed`, { key: token, body: { engines: ["gift_cards"] } });
  customer = seeded.json.data.customer_id;
  expect(seeded.json.data.counts).toMatchObject({ "gift_cards.cards": 1 });
  full = await keyWith({ preset: "full" });
});

interface Sent {
  readonly key?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

async function call(method: string, path: string, { key, body, headers = {} }: Sent = {}) {
  const answer = await platform.fetch(
    new Request(`https://shop.example${path}`, {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  const text = await answer.text();
  const isJson = answer.headers.get("content-type")?.includes("json") === true;
  return { status: answer.status, text, json: isJson ? JSON.parse(text) : null };
}

async function keyWith(scopes: { preset: string } | { scopes: string[] }): Promise<string> {
  const body = { customer_id: customer, name: "key", ...scopes };
  const made = await call("POST", `${ADMIN}/keys`, { key: token, body });
  expect(made.status, made.text).toBe(201);
  return made.json.data.api_key;
}

const CARD = { email: "ada@bakery.example", balance: 2_000, currency: "GBP" };
const BEN = "ben@bakery.example";
const CARL = "carl@bakery.example";
const issue = (expires_at = "2099-01-01T00:00:00.000Z", email = CARD.email) =>
  call("POST", "/v1/gift_cards/cards", { key: full, body: { ...CARD, email, expires_at } });

describe("an engine of a configuration", () => {
  it("has routes with the pipeline's validation, replay and errors", async () => {
    const { status, json } = await issue();
    expect([status, json.data.balance]).toEqual([201, 2_000]);
    const path = `/v1/gift_cards/cards/${json.data.id}`;
    const redeem = { key: full, body: { amount: 1_500 }, headers: { "idempotency-key": "till-1" } };
    const first = await call("POST", `${path}/redeem`, redeem);
    const again = await call("POST", `${path}/redeem`, redeem);
    expect([first.status, again.status, again.json.data]).toEqual([200, 200, first.json.data]);
    const more = await call("POST", `${path}/redeem`, { ...redeem, headers: {} });
    expect([more.status, more.json.error.code]).toEqual([409, "balance_too_low"]);
    expect((await call("GET", path, { key: full })).json.data.balance).toBe(500);
    expect((await call("POST", `${path}/redeem`, { key: full, body: { amount: -1 } })).status).toBe(422);
  });

  it("runs hooks in the transaction: what they refuse is not stored", async () => {
    const body = { ...CARD, expires_at: "2099-01-01T00:00:00.000Z" };
    const list = async () => (await call("GET", "/v1/gift_cards/cards", { key: full })).json.data.length;
    const before = await list();
    for (const [balance, code] of [
      [9_999, "too_much"],
      [8_888, "closed"],
    ] as const) {
      const answer = await call("POST", "/v1/gift_cards/cards", { key: full, body: { ...body, balance } });
      expect([answer.status, answer.json.error.code]).toEqual([409, code]);
    }
    expect([await list(), seen.includes("item")]).toEqual([before, true]);
    expect((await issue()).status).toBe(201);
    expect(await list()).toBe(before + 1);
  });

  it("has scopes of its own", async () => {
    const reader = await keyWith({ scopes: ["gift_cards:read"] });
    const other = await keyWith({ scopes: ["delivery:read"] });
    expect((await call("GET", "/v1/gift_cards/cards", { key: reader })).status).toBe(200);
    const body = { ...CARD, expires_at: "2099-01-01T00:00:00.000Z" };
    expect((await call("POST", "/v1/gift_cards/cards", { key: reader, body })).status).toBe(403);
    expect((await call("GET", "/v1/gift_cards/cards", { key: other })).status).toBe(403);
  });

  it("is in the OpenAPI document and the docs, with its events", async () => {
    const { json } = await call("GET", "/openapi.json?namespace=gift_cards");
    expect(Object.keys(json.paths)).toContain("/v1/gift_cards/cards/{id}/redeem");
    const page = await call("GET", "/docs/engines/gift_cards");
    expect([page.status, page.text.includes("Redeem an amount")]).toEqual([200, true]);
    expect((await call("GET", "/docs/events")).text).toContain("gift_cards.card.redeemed");
  });

  it("has jobs", async () => {
    const { id } = (await issue("2020-01-01T00:00:00.000Z")).json.data;
    const run = await call("POST", `${ADMIN}/jobs/gift_cards.expire/run`, { key: token, body: {} });
    expect(run.status, run.text).toBe(200);
    const { json } = await call("GET", `/v1/gift_cards/cards/${id}`, { key: full });
    expect(json.data.status).toBe("expired");
  });

  it("sends mails, in the store's layout, once their transaction is committed", async () => {
    const sent = async () =>
      (await platform.services.mail.list({ limit: 50 })).items.filter(({ message: { to } }) => to === BEN);
    const { id } = (await issue("2099-01-01T00:00:00.000Z", BEN)).json.data;
    const path = `/v1/gift_cards/cards/${id}/redeem`;
    for (const amount of [9_000, 500]) await call("POST", path, { key: full, body: { amount } });
    await platform.services.jobs.run("mail.forward");
    await eventually(async () => (await sent()).length > 0);
    expect((await sent()).map(({ message: { subject, template } }) => [subject, template])).toEqual([
      ["Your gift card was redeemed", "engine-message"],
    ]);
    const [mail] = await sent();
    expect(mail?.message.text).toContain("500 was redeemed, 1500 is left.");
    expect(mail?.message.text).toMatch(/you are in contact\s+with this store/);
  });

  it("has its data exported and erased with those of other engines", async () => {
    const { id } = (await issue("2099-01-01T00:00:00.000Z", CARL)).json.data;
    const work = async (type: string): Promise<string> => {
      const body = { type, email: CARL };
      const asked = await call("POST", "/v1/account/privacy-requests", { key: full, body });
      expect(asked.status, asked.text).toBe(201);
      const path = `/v1/account/privacy-requests/${asked.json.data.id}`;
      await eventually(async () => {
        await platform.services.jobs.run("privacy.work");
        return (await call("GET", path, { key: full })).json.data.status === "done";
      });
      return path;
    };
    const path = await work("export");
    const headers = { authorization: `Bearer ${full}` };
    const request = new Request(`https://shop.example${path}/export`, { headers });
    const files = unzipSync(new Uint8Array(await (await platform.fetch(request)).arrayBuffer()));
    const exported = strFromU8(files["live/gift_cards.cards.json"] ?? new Uint8Array());
    expect(JSON.parse(exported)).toMatchObject([{ id, email: CARL }]);
    await work("erase");
    const { json } = await call("GET", `/v1/gift_cards/cards/${id}`, { key: full });
    expect([json.data.email, json.data.balance]).toEqual([ERASED_EMAIL, 2_000]);
  });

  it("processes long texts in a thread, by a task of its own module", async () => {
    // The module declares its task to the sources: threads have to load these, and not what was compiled for the other tests.
    vi.stubEnv("PLATFORM_TEST_WORKER", undefined);
    await closeWorkers();
    expect(await countCodes("str_1", "A1\nB2\n")).toEqual({ codes: 2, isMainThread: true });
    expect(await countCodes("str_1", "A1-B2-C3-D4\n".repeat(500))).toEqual({
      codes: 500,
      isMainThread: false,
    });
    vi.unstubAllEnvs();
    await closeWorkers();
  });

  it("does not change a platform without it", async () => {
    const plain = await open({});
    expect(plain.services.scopes).not.toContain("gift_cards:read");
    expect(platform.services.scopes).toContain("gift_cards:manage");
    expect(plain.app["~routes"].some(({ route }) => route?.includes("gift_cards"))).toBe(false);
  });
});

describe("an engine that cannot be added", () => {
  const reasons = async (engines: unknown): Promise<string> => {
    const config: UserConfig = { ...Object(null), ...Object({ engines }) };
    const error: unknown = await open(config).catch((reason: unknown) => reason);
    return error instanceof Error && "format" in error && typeof error.format === "function"
      ? error.format()
      : `no ConfigError: ${String(error)}`;
  };

  it.each([
    ["is none", [{}], "expected an engine"],
    ["comes alone", giftCards(), "expected a list of engines"],
    ["has the name of another", [{ ...giftCards(), name: "delivery" }], 'the name "delivery" is taken'],
    ["is there twice", [giftCards(), giftCards()], 'the name "gift_cards" is taken'],
    [
      "has routes of another name",
      [{ ...giftCards(), name: "vouchers" }],
      '"gift_cards.cards.list" must begin',
    ],
  ])("is named with the reason where it %s", async (_, engines, reason) => {
    expect(await reasons(engines)).toContain(reason);
  });
});

describe("hooks that cannot be added", () => {
  it.each([
    [{ "delivery.holds.made": {} }, 'no route of an engine has the id "delivery.holds.made"'],
    [{ "delivery.holds.create": { before: 1 } }, "expected { before, after }"],
  ])("%j", async (hooks, reason) => {
    const config: UserConfig = Object({ hooks });
    const error: unknown = await open(config).catch((failure: unknown) => failure);
    expect(error instanceof ConfigError ? error.format() : String(error)).toContain(reason);
  });
});
