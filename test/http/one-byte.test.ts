import { ServerResponse } from "node:http";
import { serialize } from "node:v8";

import { H3 } from "h3";
import { afterAll, beforeAll, expect, it, vi } from "vitest";

import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { openWire } from "./wire.ts";
import type { Wire } from "./wire.ts";

let harness: Harness;
let wire: Wire;
beforeAll(async () => {
  harness = await createHarness();
  // Nothing but the router knows these paths.
  wire = await openWire({ ...harness, app: new H3().mount("/shop", harness.app) });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await wire.close();
  await harness.close();
});

/** V8 serializes a text in the width in which it keeps it: `"` is the tag of one byte a character. */
const isOneByte = (text: string): boolean => serialize(text)[2] === 0x22;

it("one header of two bytes a character would make the whole answer such a text", async () => {
  const part = `€${"a".repeat(20)}`.slice(1);
  expect([isOneByte("a"), isOneByte("€"), isOneByte(part)]).toEqual([true, false, false]);
  const key = await harness.key();
  for (const name of ["SW1", "WC2"]) {
    const body = { name, patterns: [name], fee_tiers: [{ from: 0, fee: 499 }] };
    expect((await harness.call("POST", "/v1/delivery/zones", { key, body })).status).toBe(201);
  }
  const writeHead = vi.spyOn(ServerResponse.prototype, "writeHead");
  const end = vi.spyOn(ServerResponse.prototype, "end");
  const headers = { authorization: `Bearer ${key.plaintext}` };
  const page = await wire.send({ path: "/shop/v1/delivery/zones?limit=1", headers });
  expect(page.headers.get("link")).toContain("/v1/delivery/zones?limit=1&cursor=");
  const sent = [...writeHead.mock.calls, ...end.mock.calls].flat(2).filter((one) => typeof one === "string");
  expect(sent.length).toBeGreaterThan(20);
  expect(sent.filter((text) => !isOneByte(text))).toEqual([]);
});
