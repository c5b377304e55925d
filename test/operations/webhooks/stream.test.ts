import { afterAll, beforeAll, expect, it, vi } from "vitest";

import { createHarness } from "../../harness.ts";
import type { Harness } from "../../harness.ts";
import { emit, sendDue, subscribe } from "./rig.ts";

const DELIVERIES = 50;

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness({ now: new Date().toISOString() });
});
afterAll(() => harness.close());

it("parses each pending delivery once, however often it looks", async () => {
  const key = await harness.key();
  const { id, part } = await subscribe(harness, key, { url: "" });
  for (let n = 0; n < DELIVERIES; n += 1) await emit(harness, part, "webhook.test", { n });
  await sendDue(harness);
  const headers = { authorization: `Bearer ${key.plaintext}` };
  const url = `http://platform.test/v1/account/webhooks/${id}/stream`;
  const { body } = await harness.app.fetch(new Request(url, { headers }));
  const reader = body?.getReader();
  await reader?.read();
  const parse = vi.spyOn(JSON, "parse");
  await new Promise((resolve) => {
    setTimeout(resolve, 2_300);
  });
  const parsed = parse.mock.calls.filter(([text]) => text.includes('"history":[]'));
  parse.mockRestore();
  await reader?.cancel();
  expect(parsed.length).toBeLessThan(DELIVERIES);
});
