import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { scopes } from "../../server/registry.ts";
import { makeKey } from "../../server/core/key-format.ts";
import { createSystemRandom } from "../../server/core/ids.ts";
import { createHarness } from "../harness.ts";
import type { Harness, TestKey } from "../harness.ts";
import {
  adminEndpoints,
  callExample,
  isStream,
  keyEndpoints,
  openEndpoints,
  pathOf,
  queryOf,
  titleOf,
} from "./world.ts";

const HOUR_MS = 3_600_000;
let harness: Harness;
let good: TestKey;
const refused = new Map<string, string | undefined>();

beforeAll(async () => {
  harness = await createHarness();
  const past = new Date(harness.clock.now() - HOUR_MS).toISOString();
  good = await harness.key();
  const plaintext = async (fields: Parameters<Harness["key"]>[0]) => (await harness.key(fields)).plaintext;
  refused.set("missing", undefined);
  refused.set("unknown", makeKey("live", createSystemRandom()));
  refused.set("mistyped", `${good.plaintext.slice(0, -1)}${good.plaintext.endsWith("a") ? "b" : "a"}`);
  refused.set("revoked", await plaintext({ status: "revoked", revoked_at: past }));
  refused.set("expired", await plaintext({ expires_at: past }));
  refused.set("pending", await plaintext({ status: "pending" }));
  refused.set("an operator's", harness.adminToken);
});
afterAll(() => harness.close());

describe("401", () => {
  it("has routes to look at", () => expect(keyEndpoints.length).toBeGreaterThan(10));

  it.each(keyEndpoints.map((endpoint) => [titleOf(endpoint), endpoint] as const))(
    "401 without an ACTIVE key, one body for every reason: %s",
    async (_, endpoint) => {
      const bodies = new Set<string>();
      for (const [reason, key] of refused) {
        const answer = await callExample(harness, endpoint, { key });
        expect([reason, answer.status]).toEqual([reason, 401]);
        expect(answer.headers.get("www-authenticate"), reason).toMatch(/^Bearer realm="platform"/);
        expect(answer.headers.get("x-ratelimit-limit"), reason).toBeNull();
        bodies.add(answer.text);
      }
      expect(bodies.size).toBe(1);
    },
  );

  it("has operator routes to look at", () => expect(adminEndpoints.length).toBeGreaterThan(10));

  it.each(adminEndpoints.map((endpoint) => [titleOf(endpoint), endpoint] as const))(
    "401 without the operator's token: %s",
    async (_, endpoint) => {
      const unknown = makeKey("admin", createSystemRandom());
      for (const key of [undefined, unknown, good.plaintext]) {
        const answer = await callExample(harness, endpoint, { key });
        expect(answer.status).toBe(401);
      }
    },
  );

  it.each(
    openEndpoints
      // The console has a login of its own.
      .filter((endpoint) => !isStream(endpoint) && !endpoint.route.id.startsWith("pages.console-"))
      .map((endpoint) => [titleOf(endpoint), endpoint] as const),
  )("no key is asked for: %s", async (_, endpoint) => {
    const answer = await callExample(harness, endpoint, {});
    expect(answer.status).not.toBe(401);
    expect(answer.status).toBeLessThan(500);
  });
});

describe("403", () => {
  it.each(keyEndpoints.map((endpoint) => [titleOf(endpoint), endpoint] as const))(
    "403 with every scope but the one: %s",
    async (_, endpoint) => {
      const { scope } = endpoint;
      expect(scopes).toContain(scope);
      const key = await harness.key({ scopes: scopes.filter((held) => held !== scope) });
      const answer = await callExample(harness, endpoint, { key });
      expect(answer.status).toBe(403);
      expect(answer.headers.get("www-authenticate")).toBe(
        `Bearer realm="platform", error="insufficient_scope", scope="${scope}"`,
      );
      expect(answer.json.error.detail).toContain(scope);
    },
  );

  it.each(
    keyEndpoints
      .filter((endpoint) => !isStream(endpoint))
      .map((endpoint) => [titleOf(endpoint), endpoint] as const),
  )("the one scope is enough: %s", async (_, endpoint) => {
    const key = await harness.key({ scopes: [String(endpoint.scope)] });
    const answer = await callExample(harness, endpoint, { key });
    const challenge = answer.headers.get("www-authenticate");
    if (REACHES_ENGINES.has(endpoint.route.id)) expect(challenge).not.toContain(String(endpoint.scope));
    else expect(challenge).toBeNull();
    expect(answer.status).toBeLessThan(500);
  });

  /** Their examples ask for data of engines, which takes those engines' scopes too: test/operations/data-scopes.test.ts. */
  const REACHES_ENGINES = new Set(["account.privacy-requests.create", "account.webhooks.create"]);
});

describe("429", () => {
  it.each(keyEndpoints.map((endpoint) => [titleOf(endpoint), endpoint] as const))(
    "429 with Retry-After when the window is used up, unless it costs nothing: %s",
    async (_, endpoint) => {
      const key = await harness.key({ plan: "free" });
      for (let used = 0; used < 60; used += 1) await harness.services.store.take(key.id, 60, 60_000);
      const answer = await harness.call(endpoint.route.method, pathOf(endpoint) + queryOf(endpoint), { key });
      if (endpoint.route.cost === 0) {
        expect(answer.status).not.toBe(429);
        expect(answer.headers.get("x-ratelimit-remaining")).toBe("0");
        return;
      }
      expect(answer.status).toBe(429);
      expect(answer.headers.get("retry-after")).toBe("60");
      expect(answer.headers.get("x-ratelimit-remaining")).toBe("0");
    },
  );
});
