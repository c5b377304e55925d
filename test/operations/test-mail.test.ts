import { afterAll, beforeAll, expect, it } from "vitest";

import { storePartition } from "../../server/core/partitions.ts";
import { storeMails } from "../../server/core/store-mail.ts";
import { createRunTx } from "../../server/core/run-tx.ts";
import { toInstant } from "../../server/lib/instant.ts";
import { createHarness } from "../harness.ts";
import type { Harness, TestKey } from "../harness.ts";
import { longestOf, many, TURN_MS } from "../support/longest-turn.ts";

const MAILS = 100;

let harness: Harness;
let key: TestKey;
let part: string;
beforeAll(async () => {
  harness = await createHarness();
  key = await harness.key({ plan: "free", mode: "test" });
  part = storePartition(key.storeId, "test");
  const { cursors, newId } = harness.services;
  // No budget of mails is used.
  const runTx = createRunTx({ store: harness.store, cursors });
  const answers = many(19, (n) => ({ label: `Answer ${n}`, value: "w.xy ".repeat(1_980) }));
  const data = {
    form_name: "Quotes",
    title: "New request",
    submission_id: "fsb_01JD8Z5T9QK3M4N5P6R7S8T9V0",
    answers,
    files: 0,
  };
  const created_at = toInstant(harness.clock.now());
  const mail = { to: "ada@shop.example", template: "forms-notification", data, created_at } as const;
  for (let at = 0; at < MAILS; at += 4)
    await runTx(part, async (tx) => {
      for (let n = 0; n < 4; n += 1) tx.create(storeMails, { ...mail, id: newId("ltr"), state: "waiting" });
    });
});
afterAll(() => harness.close());

const list = () => harness.call("GET", `/v1/account/test-mail?limit=${MAILS}`, { key });

it("composes the mails of a page one after the other, with pauses", async () => {
  const longest = await longestOf(
    () => harness.clock.advance(60_000),
    async () => {
      const { status, json } = await list();
      expect([status, json.data.length]).toEqual([200, MAILS]);
    },
  );
  expect(longest).toBeLessThan(TURN_MS);
}, 60_000);

it("charges the CPU budget", async () => {
  harness.clock.advance(2 * 3_600_000);
  await list();
  const budgets = (await harness.call("GET", "/v1/account/usage/budgets", { key })).json.data;
  const cpu = budgets.find(({ budget }: { readonly budget: string }) => budget === "cpu");
  expect(cpu.used).toBeGreaterThan(0);
});

it("forwards waiting mails with pauses", async () => {
  const longest = await longestOf(
    () => {},
    async () => {
      await harness.services.jobs.run("mail.forward");
    },
  );
  expect(longest).toBeLessThan(TURN_MS);
}, 60_000);
