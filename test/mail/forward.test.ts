import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { storePartition } from "../../server/core/partitions.ts";
import { storeMails, stageStoreMail, withdrawStoreMail } from "../../server/core/store-mail.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { createHarness, createTestClock } from "../harness.ts";
import type { Harness } from "../harness.ts";

let harness: Harness;
let storeId: string;
beforeEach(async () => {
  harness = await createHarness();
  storeId = (await harness.key()).storeId;
});
afterEach(() => harness.close());

const storeMail = (id: string, more: object = {}) => ({
  id,
  to: "ada@shop.example",
  template: "subscription-cancelled",
  data: {
    manage_url: "https://api.shop.example/x",
    shop_name: "Beans",
    customer_name: "Ada",
    lines: "Coffee",
    ends_on: "30 June 2026",
    refund: "",
  },
  created_at: "2026-06-01T09:00:00.000Z",
  ...more,
});

/** The mail of a form with the longest answers that fit a document. */
const answersOf = (char: string) => ({
  template: "forms-notification",
  data: {
    form_name: "Survey",
    title: "New",
    submission_id: "fsb_1",
    answers: Array.from({ length: 50 }, (_, n) => ({ label: `Field ${n}`, value: char.repeat(1_000) })),
    files: 0,
  },
});

const write = (given: ReturnType<typeof storeMail>, mode: "live" | "test" = "live", from = harness) =>
  from.services.runTx(storePartition(storeId, mode), (tx) => stageStoreMail(tx, given));
const forward = (from = harness) => from.services.jobs.run("mail.forward");
const outbox = async () => (await harness.services.mail.list({ limit: 50 })).items;
const waiting = (mode: "live" | "test" = "live") =>
  harness.services.runTx(storePartition(storeId, mode), (tx) => tx.peekAll(storeMails, { index: "waiting" }));

describe("mails", () => {
  it("are moved to the outbox once, also when they are written again", async () => {
    await write(storeMail("ltr_1"));
    await write(storeMail("ltr_1"));
    expect((await forward()).counts).toEqual({ forwarded: 1, failed: 0, dropped: 0, stopped: 0, kept: 0 });
    expect(await waiting()).toEqual([]);
    await write(storeMail("ltr_1"));
    await forward();
    const mails = await outbox();
    expect(mails.map(({ message }) => [message.to, message.template])).toEqual([
      ["ada@shop.example", "subscription-cancelled"],
    ]);
  });

  it("survive a death between the two halves: the second run finds the first half done", async () => {
    const store = createMemoryDriver({ clock: createTestClock() });
    const dying = await createHarness({
      store: {
        ...store,
        async commit(part, ops, checks) {
          const isRemoval = ops.some((op) => "del" in op && op.del.includes(":kernel.letters:"));
          if (isRemoval && !dead) {
            dead = true;
            throw new Error("died");
          }
          return store.commit(part, ops, checks);
        },
      },
    });
    let dead = false;
    storeId = (await dying.key()).storeId;
    await write(storeMail("ltr_1"), "live", dying);
    expect((await forward(dying)).outcome).toBe("failed");
    expect((await forward(dying)).counts["forwarded"]).toBe(1);
    expect((await dying.services.mail.list({ limit: 50 })).items).toHaveLength(1);
    await dying.close();
  });

  it("that tell of somebody go when that one is to be forgotten, and those to others of the store stay", async () => {
    const shop = { to: "hello@bakery.example" };
    await write(storeMail("ltr_1", { ...shop, about: "Ada@shop.example" }));
    await write(storeMail("ltr_2", { ...shop, about: "ben@shop.example" }));
    await write(storeMail("ltr_3", shop));
    expect((await forward()).counts).toEqual({ forwarded: 3, failed: 0, dropped: 0, stopped: 0, kept: 0 });
    const { mail } = harness.services;
    expect((await mail.listTo("ada@shop.example", { limit: 9 })).items).toEqual([]);
    expect(await mail.forget("ada@shop.example", "sto_other")).toBe(0);
    expect(await mail.forget("ada@shop.example", storePartition(storeId, "live"))).toBe(1);
    const left = (await outbox()).map(({ about = "nobody" }) => about);
    expect(new Set(left)).toEqual(new Set(["ben@shop.example", "nobody"]));
  });

  it("that wait are taken back from whoever they are to or about, and lose only the address otherwise", () => {
    const told = { ...storeMail("ltr_1", { to: "hello@bakery.example" }), state: "waiting" as const };
    const { erased, subjects } = storeMails.personal ?? {};
    const about = { ...told, about: "ada@shop.example" };
    expect(subjects?.(about)).toEqual(["hello@bakery.example", "ada@shop.example"]);
    expect(erased?.(about, "ada@shop.example")).toBeNull();
    expect(erased?.(told, "hello@bakery.example")).toBeNull();
    const named = { ...told, data: { text: "ada@shop.example wrote" } };
    expect(erased?.(named, "ada@shop.example")?.data).toEqual({ text: "erased@erased.invalid wrote" });
  });

  it("among test data are sent to nobody; the newest 500 are kept, and the inbox of development shows them", async () => {
    for (let count = 0; count < 503; count += 1) {
      const created_at = new Date(Date.parse("2026-06-01T09:00:00.000Z") + count).toISOString();
      await write(storeMail(`ltr_${count}`, { created_at }), "test");
    }
    while ((await waiting("test")).length > 0) await forward();
    const kept = await harness.services.runTx(storePartition(storeId, "test"), (tx) =>
      tx.peekAll(storeMails, { index: "time" }),
    );
    expect(kept).toHaveLength(500);
    expect(kept.at(-1)?.id).toBe("ltr_3");
    expect((await outbox())[0]).toMatchObject({ state: "test", next_at: null });
    expect((await harness.services.mail.runDue({ limit: 100 })).sent).toBe(0);
  });

  it.each([
    ["an unknown template", { template: "nothing" }],
    ["data that do not fit", { data: {} }],
    ["an address that is none", { to: "ada@shop.example, eve@x.example" }],
    [
      "a mail that is larger than a document",
      { ...answersOf('"'), about: `${"a".repeat(150_000)}@b.example` },
    ],
  ])("%s is put aside, and keeps no other waiting", async (_, more) => {
    await write(storeMail("ltr_1", more));
    await write(storeMail("ltr_2"));
    expect((await forward()).counts).toEqual({ forwarded: 1, failed: 1, dropped: 0, stopped: 0, kept: 0 });
    expect(await waiting()).toEqual([]);
  });

  it.each(['"', "漢", "&"])(
    "about forms say at most 20,000 characters of the answers, also of %s",
    async (char) => {
      await write(storeMail("ltr_1", answersOf(char)));
      await write(storeMail("ltr_2"));
      expect((await forward()).counts["forwarded"]).toBe(2);
      const mails = await outbox();
      expect(mails.find(({ message }) => message.template === "forms-notification")?.message.text).toContain(
        "Field 18",
      );
    },
  );

  it("can be taken back while they wait", async () => {
    await write(storeMail("ltr_1"));
    await harness.services.runTx(storePartition(storeId, "live"), (tx) => withdrawStoreMail(tx, "ltr_1"));
    await forward();
    expect(await outbox()).toEqual([]);
  });
});
