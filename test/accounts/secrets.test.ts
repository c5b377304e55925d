import { afterEach, expect, it } from "vitest";

import type { Log } from "../../server/core/log.ts";
import { KEY_PATTERN } from "../../server/core/key-format.ts";
import { sha256Hex } from "../../server/core/ids.ts";
import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { browse, linkOf, makeAccount, operator, signUp, storedDocuments } from "./support.ts";

let harness: Harness;
afterEach(() => harness.close());

it("no key is ever stored, logged or put on record in plain; its SHA-256 is", async () => {
  const lines: string[] = [];
  const write = (fields: object, message: string): void => {
    lines.push(message, JSON.stringify(fields));
  };
  const log: Log = { debug: write, info: write, warn: write, error: write };
  harness = await createHarness({ log });
  const issued: string[] = [];
  const { apiKey, customerId, keyId } = await makeAccount(harness);
  issued.push(apiKey);
  await operator(harness, "POST", `/customers/${customerId}/plan`, { plan: "scale" });
  const made = await operator(harness, "POST", "/keys", { customer_id: customerId, preset: "full" });
  const rotated = await harness.call("POST", `/v1/account/keys/${keyId}/rotate`, {
    key: apiKey,
    headers: { "idempotency-key": "secret" },
  });
  const second = await signUp(harness, "second@bakery.example");
  const verified = await operator(harness, "POST", `/customers/${second.json.customer_id}/verify`);
  await signUp(harness, "third@bakery.example");
  const page = await browse(harness, "POST", await linkOf(harness, "third@bakery.example"));
  issued.push(made.json.data.api_key, rotated.json.data.api_key, verified.json.data.api_key);
  issued.push(page.text.match(KEY_PATTERN)?.[0] ?? "");
  expect(new Set(issued.filter((key) => key.startsWith("plat_live_"))).size).toBe(5);

  // A key in places where none belongs is refused, and stays unwritten.
  for (const body of [
    { email: "x@bakery.example", storeIdentifier: apiKey },
    { email: `${apiKey}@`, storeIdentifier: "x" },
  ]) {
    expect((await harness.call("POST", "/api/platform/signup", { body })).status).toBe(422);
  }
  const pasted = await harness.admin("POST", `/api/platform/admin/keys/${keyId}/revoke`, {
    body: { reason: `leaked ${apiKey}` },
  });
  expect(pasted.status).toBe(422);
  await harness.call("GET", `/v1/reviews?cursor=${apiKey}`, { key: apiKey });
  await harness.call("GET", `/v1/${apiKey}`, { key: apiKey });
  await harness.services.usage.flush();

  const documents = (await storedDocuments(harness)).map(({ key, value }) => `${key} ${value}`).join("\n");
  const trail = JSON.stringify((await operator(harness, "GET", "/audit?limit=100")).json);
  const listed = JSON.stringify((await operator(harness, "GET", "/keys?limit=100")).json);
  for (const key of issued) {
    for (const text of [documents, lines.join("\n"), trail, listed]) {
      expect(text).not.toContain(key);
      expect(text).not.toContain(key.slice(15, -4));
    }
    expect(documents).toContain(sha256Hex(key));
    expect(trail).not.toContain(sha256Hex(key));
    expect(listed).not.toContain(sha256Hex(key));
  }
  expect(lines.length).toBeGreaterThan(10);
});

it("a verification token is stored as its SHA-256; outside the mail itself it is nowhere", async () => {
  harness = await createHarness();
  await signUp(harness);
  const token = (await linkOf(harness)).split("token=")[1] ?? "";
  expect(token).toHaveLength(43);
  const documents = await storedDocuments(harness);
  expect(documents.some(({ key }) => key === `platform:platform.links:${sha256Hex(token)}`)).toBe(true);
  const holders = documents.filter(({ key, value }) => `${key} ${value}`.includes(token));
  expect(holders.map(({ key }) => key.split(":")[1])).toEqual(["mail"]);
});
