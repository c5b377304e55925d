import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ConfigSchema } from "../../server/config/schema.ts";
import { customers } from "../../server/accounts/collections.ts";
import { PLATFORM_PART } from "../../server/core/partitions.ts";
import type { Customer } from "../../server/accounts/collections.ts";
import { createHarness } from "../harness.ts";
import type { Harness, TestKey } from "../harness.ts";
import { operator } from "./support.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let harness: Harness;
let key: TestKey;
beforeEach(async () => {
  harness = await createHarness();
  key = await harness.key({ plan: "free", identifier: "demo-bakery" });
  await watch();
});
afterEach(() => harness.close());

const watch = (of = harness) => of.services.jobs.run("webhooks.watch");
const at = (ms: number): string => new Date(harness.clock.now() + ms).toISOString();

/** Every mail about something that ends, oldest first. */
async function mails() {
  const { items } = await harness.services.mail.list({ limit: 100 });
  return items
    .map(({ expires_at, message }) => ({ expires_at, ...message }))
    .filter(({ template }) => /^(key|trial)-(expiring|ending|ended)$/.test(template))
    .toReversed();
}
const templates = async (): Promise<string[]> => (await mails()).map(({ template }) => template);

/** Half a day at a time, with the job between. */
async function pass(days: number): Promise<void> {
  for (let half = 0; half < days * 2; half += 1) {
    harness.clock.advance(DAY_MS / 2);
    await watch();
  }
}

const startTrial = (plan = "growth") =>
  operator(harness, "POST", `/customers/${key.customerId}/plan`, { plan, trial: true });

const keyOf = (more: Parameters<Harness["key"]>[0]) =>
  harness.key({ customer_id: key.customerId, store_id: key.storeId, ...more });

async function change(more: Partial<Customer>): Promise<void> {
  await harness.services.runTx(PLATFORM_PART, async (tx) => {
    const stored = await tx.require(customers, key.customerId);
    tx.put(customers, stored, { ...stored.value, ...more });
  });
}

describe("a trial", () => {
  it("is told of three days and one day before its end, and at its end, each once", async () => {
    await startTrial();
    const end = harness.clock.now() + 14 * DAY_MS;
    await pass(10.5);
    expect(await templates()).toEqual([]);
    await pass(1);
    expect(await templates()).toEqual(["trial-ending"]);
    await pass(1.5);
    expect(await templates()).toEqual(["trial-ending", "trial-ending"]);
    await pass(4);
    expect(await templates()).toEqual(["trial-ending", "trial-ending", "trial-ended"]);
    const [first, , last] = await mails();
    expect(first?.to).toBe("dev1@shop.test");
    expect(first?.expires_at).toBe(new Date(end).toISOString());
    for (const said of [
      "The trial of Growth ends on 15 June 2026 at 09:00 UTC.",
      "the\nFree plan applies",
      "Requests per minute: 60 (during the trial 1,500)",
      "demo-bakery",
      "http://platform.test/docs/guides/rate-limits",
    ]) {
      expect(first?.text).toContain(said);
    }
    expect(last?.text).toContain("The trial of Growth ended on 15 June 2026 at 09:00 UTC.");
  });

  it("falls to the plan beneath it, and the mail names that", async () => {
    await operator(harness, "POST", `/customers/${key.customerId}/plan`, { plan: "starter" });
    await startTrial("enterprise");
    await pass(15);
    const last = (await mails()).at(-1);
    expect(last?.text).toContain("The Starter\nplan now applies:");
    expect(last?.text).toContain("300 (during the trial 30,000)");
    expect(last?.text).toContain("1 (during the trial unlimited)");
  });

  it("that was paid for, or taken back, is not told of", async () => {
    await startTrial();
    await pass(5);
    await operator(harness, "POST", `/customers/${key.customerId}/plan`, { plan: "growth" });
    await pass(12);
    expect(await templates()).toEqual([]);
  });

  it("is told of once when the service slept meanwhile: what is over is not said to be about to end", async () => {
    await startTrial();
    harness.clock.advance(13.5 * DAY_MS);
    await watch();
    expect(await templates()).toEqual(["trial-ending"]);
    harness.clock.advance(3 * DAY_MS);
    await watch();
    expect(await templates()).toEqual(["trial-ending", "trial-ended"]);
  });

  it("of one day is told of when it is over: whoever began it today knows its end", async () => {
    const plans = ConfigSchema.parse({
      plans: [
        { id: "free", requestsPerMinute: 60 },
        { id: "growth", requestsPerMinute: 1_500, trialDays: 1 },
      ],
    }).plans;
    const short = await createHarness({ config: { plans } });
    const own = await short.key({ plan: "free" });
    await watch(short);
    await operator(short, "POST", `/customers/${own.customerId}/plan`, { plan: "growth", trial: true });
    for (let hour = 0; hour < 26; hour += 1) {
      await watch(short);
      short.clock.advance(HOUR_MS);
    }
    const { items } = await short.services.mail.list({ limit: 10 });
    expect(items.map(({ message }) => message.template)).toEqual(["trial-ended"]);
    await short.close();
  });
});

describe("a key", () => {
  it("is told of once, a week before its end", async () => {
    const ending = await keyOf({ name: "Shop server", expires_at: at(10 * DAY_MS) });
    await pass(2.5);
    expect(await templates()).toEqual([]);
    await pass(12);
    const [mail, ...more] = await mails();
    expect(more).toEqual([]);
    const shown = `${ending.plaintext.slice(0, 14)}…${ending.plaintext.slice(-4)}`;
    for (const said of [
      "11 June 2026 at 09:00 UTC",
      "fails with status 401",
      "Shop server",
      shown,
      "demo-bakery",
    ]) {
      expect(mail?.text).toContain(said);
    }
    expect(mail?.text.split("\n")).toContain("http://platform.test/signup");
    expect(mail?.text).not.toContain(ending.plaintext);
    expect(mail?.expires_at).toBe("2026-06-11T09:00:00.000Z");
  });

  it("of a shorter life is told of the day before, and one of a day not at all", async () => {
    await keyOf({ name: "three days", expires_at: at(3 * DAY_MS) });
    await keyOf({ name: "one day", expires_at: at(DAY_MS + HOUR_MS) });
    await keyOf({ name: "a minute", expires_at: at(60_000) });
    await pass(5);
    const told = await mails();
    expect(told).toHaveLength(1);
    expect(told[0]?.text).toContain("three days");
  });

  it("that is replaced, revoked, pending or without an end is not told of", async () => {
    const later = at(9 * DAY_MS);
    await keyOf({ expires_at: later, replaced_by: key.id });
    await keyOf({ expires_at: later, status: "revoked" });
    await keyOf({ expires_at: later, status: "pending" });
    await keyOf({ expires_at: null });
    await pass(12);
    expect(await templates()).toEqual([]);
  });

  it.each([
    [
      "publishable",
      { kind: "publishable", scopes: ["reviews:public"] },
      "/v1/account/keys",
      "/docs/guides/browsers",
    ],
    ["test", { mode: "test" }, "ask the operator of this service", "/docs/guides/authentication"],
  ] as const)("of the kind %s has a way of its own", async (_, more, said, link) => {
    await keyOf({ ...more, scopes: [...("scopes" in more ? more.scopes : [])], expires_at: at(8 * DAY_MS) });
    await pass(3);
    const [mail] = await mails();
    expect(mail?.text).toContain(said);
    expect(mail?.text.split("\n")).toContain(`http://platform.test${link}`);
  });

  it("ends with others in one instant, more of them than one commit holds: each is told of", async () => {
    const day = at(9 * DAY_MS);
    const many = Array.from({ length: 45 }, (_, n) => keyOf({ name: `key ${n}`, expires_at: day }));
    await Promise.all(many);
    await pass(11);
    const told = await mails();
    expect(new Set(told.map(({ text }) => /^Name: (.*)$/m.exec(text)?.[1])).size).toBe(45);
    expect(told).toHaveLength(45);
  });
});

describe("nobody is told", () => {
  it.each([
    ["suspended", { status: "suspended" }],
    ["closed", { status: "closed" }],
    ["pending", { status: "pending", verified_at: null }],
    ["never verified", { verified_at: null }],
  ] as const)("whose account is %s", async (_, more) => {
    await startTrial();
    await keyOf({ expires_at: at(9 * DAY_MS) });
    await change(more);
    await pass(16);
    expect(await templates()).toEqual([]);
  });

  it("who was erased; and mail that waited is gone with them", async () => {
    await keyOf({ expires_at: at(9 * DAY_MS) });
    await pass(3);
    expect(await templates()).toEqual(["key-expiring"]);
    await operator(harness, "DELETE", `/customers/${key.customerId}`);
    await pass(31);
    await harness.services.jobs.run("platform.erase");
    expect(await templates()).toEqual([]);
  });
});

describe("exactly once", () => {
  beforeEach(async () => {
    await startTrial();
    await keyOf({ expires_at: at(14 * DAY_MS) });
  });
  const EXPECTED = ["key-expiring", "trial-ending", "trial-ending", "trial-ended"];

  it("where the clock is set back and runs again over the same days", async () => {
    await pass(15);
    expect(await templates()).toEqual(EXPECTED);
    for (const back of [DAY_MS, 8 * DAY_MS, 15 * DAY_MS]) {
      harness.clock.advance(-back);
      await watch();
      await pass(back / DAY_MS);
    }
    expect(await templates()).toEqual(EXPECTED);
  });

  it("also when the mail itself was sent and forgotten meanwhile", async () => {
    await pass(15);
    await harness.services.mail.forget("dev1@shop.test");
    harness.clock.advance(-15 * DAY_MS);
    await watch();
    await pass(15);
    expect(await templates()).toEqual([]);
  });

  it("on two nodes that look at the same moment, the second of them started later", async () => {
    const other = await createHarness({ store: harness.store, now: at(0) });
    for (let half = 0; half < 30; half += 1) {
      harness.clock.advance(DAY_MS / 2);
      other.clock.advance(DAY_MS / 2);
      const jobs = [harness, other].map(({ services }) =>
        services.jobs.run("webhooks.watch").catch(() => undefined),
      );
      await Promise.all(jobs);
    }
    expect((await templates()).sort()).toEqual([...EXPECTED].sort());
  });

  it("and a mail that cannot be written holds nothing else up", async () => {
    await change({ email: "no address\r\nBcc: all@shop.test" });
    await pass(12);
    expect([(await watch()).outcome, await templates()]).toEqual(["ok", []]);
    await change({ email: "dev1@shop.test" });
    await pass(3);
    expect((await templates()).sort()).toEqual(["key-expiring", "trial-ended", "trial-ending"]);
  });
});
