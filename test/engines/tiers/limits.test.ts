import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { members, recalculationMoves } from "../../../server/engines/tiers/repository.ts";
import { mailOf } from "../../../server/engines/tiers/services/mails.ts";
import { sweepDiffs } from "../../../server/engines/tiers/jobs.ts";
import { EventFacts } from "../../../server/engines/tiers/schema/event.ts";
import { TIER_LIMITS } from "../../../server/engines/tiers/schema/programme.ts";
import { addDays } from "../../../server/lib/local-time.ts";
import type { Club } from "./club.ts";
import { createClub, jobs, refusal } from "./club.ts";
import { mapOf, rulesOf } from "./fixture.ts";

let club: Club;
beforeAll(async () => {
  club = await createClub();
});
afterAll(() => club.harness.close());

describe("limits", () => {
  it("409 limit_reached for more overrides than a customer may have", async () => {
    const id = await club.buy("many", 100);
    const override = { level_id: "lvl_gold", reason: "Friend of the house" };
    for (let made = 0; made < TIER_LIMITS.overrides; made += 1) {
      expect((await club.call("POST", `/customers/${id}/overrides`, override)).status).toBe(201);
    }
    expect(refusal(await club.call("POST", `/customers/${id}/overrides`, override))).toBe(
      "409 limit_reached",
    );
  });

  it("409 limit_reached for more programmes than a store may have", async () => {
    let answer = await club.call("POST", "/programmes", rulesOf());
    for (let made = 0; made < 100 && answer.status === 201; made += 1) {
      answer = await club.call("POST", "/programmes", rulesOf());
    }
    expect(refusal(answer)).toBe("409 limit_reached");
  });
});

describe("a merge", () => {
  it("422 of a customer with itself, 404 with one that is not there, is gone, or was merged before", async () => {
    const [ada, ben, cleo] = [await club.buy("m1", 1), await club.buy("m2", 1), await club.buy("m3", 1)];
    const merge = (id: string, other: string) =>
      club.call("POST", `/customers/${id}/merge`, { other_id: other });
    const self = await merge(ada, ada);
    expect([self.status, self.json.error.errors[0].pointer]).toEqual([422, "#/other_id"]);
    expect(refusal(await merge(ada, `tcu_${"0".repeat(26)}`))).toBe("404");
    expect((await merge(ada, ben)).status).toBe(200);
    expect(refusal(await merge(ada, ben))).toBe("404");
    expect(refusal(await merge(cleo, ben))).toBe("404");
    expect((await club.call("POST", `/customers/${cleo}/erase`)).status).toBe(200);
    expect(refusal(await merge(ada, cleo))).toBe("404");
  });
});

describe("a customer who was merged many times", () => {
  it("gets the events of the first account at the last one", async () => {
    const ids: string[] = [];
    for (let index = 0; index < 12; index += 1) ids.push(await club.buy(`chain${index}`, 1));
    for (const [index, id] of ids.entries()) {
      const other_id = ids[index - 1];
      if (other_id !== undefined) await club.make(`/customers/${id}/merge`, { other_id });
    }
    expect(await club.buy("chain0", 500)).toBe(ids.at(-1));
    expect((await club.read(`/customers/${ids.at(-1)}`)).totals).toMatchObject({ orders: 13, spend: 512 });
  });
});

describe("a full ledger", () => {
  const mark = (index: number, amount: number, source_version = 0) => ({
    customer: { id: "full" },
    event: {
      type: "points",
      external_id: `p${index}`,
      source_version,
      occurred_at: "2026-05-31T10:00:00.000Z",
      amount,
    },
  });
  const orders = (customer: string, count: number, daysEach: number, categories: object) =>
    Array.from({ length: count }, (_, at) => ({
      customer: { id: customer },
      event: {
        type: "order",
        external_id: `${customer}-3f2504e0-4f89-11d3-${at}`,
        order_ref: `${customer}-3f2504e0-4f89-11d3-${at}`,
        occurred_at: `${addDays("2026-06-01", -daysEach * (count - at))}T10:00:00.000Z`,
        currency: "GBP",
        amount: 1_200,
        channel: "web",
        categories,
      },
    }));

  it("accepts corrections of what it holds", async () => {
    const most = TIER_LIMITS.marks + 50;
    const events = Array.from({ length: most }, (_, index) => mark(index, 10));
    expect((await club.make("/events/batches", { events })).accepted).toBe(most);
    expect(await club.make("/events", mark(most, 10))).toMatchObject({ status: "ignored", reason: "full" });
    expect(await club.make("/events", mark(7, 0, 1))).toMatchObject({ status: "accepted" });
  });

  it("has room again once its events are older, and knows those that it folded", async () => {
    const old = (index: number, source_version = 0) => ({
      customer: { id: "old" },
      event: { ...mark(index, 10, source_version).event, occurred_at: "2026-01-05T10:00:00.000Z" },
    });
    const events = Array.from({ length: 500 }, (_, index) => old(1_000 + index));
    expect((await club.make("/events/batches", { events })).accepted).toBe(500);
    expect(await club.make("/events", old(1_000, 1))).toMatchObject({
      status: "ignored",
      reason: "archived",
    });
  });

  it("is folded before it exceeds a document, as with orders of many categories", async () => {
    const names = Array.from({ length: 12 }, (_, at) => [`organic-vegetables-${at}`, 100]);
    const events = orders("grocery", 500, 2, Object.fromEntries(names));
    expect((await club.make("/events/batches", { events })).accepted).toBe(500);
  });

  it("is folded where it was stored larger than that", async () => {
    const id = await club.buy("larger", 1);
    const names = Array.from({ length: 12 }, (_, at) => [`organic-vegetables-${at}`, 100]);
    const events = orders("larger", 345, 2, Object.fromEntries(names));
    const ledger = mapOf(events.map(({ event }) => EventFacts.parse(event)));
    expect(JSON.stringify(ledger).length).toBeGreaterThan(225_000);
    await club.harness.services.runTx(club.part, async (tx) => {
      const stored = await tx.require(members, id);
      tx.put(members, stored, { ...stored.value, ledger });
    });
    await club.buy("larger", 1);
    expect((await club.read(`/customers/${id}`)).totals).toMatchObject({ orders: 346, spend: 414_001 });
  });

  it("is folded where two customers are merged", async () => {
    const ids: string[] = [];
    for (const customer of ["one", "other"]) {
      const events = orders(customer, 400, 2, { bread: 100, cake: 2 });
      ids.push((await club.make("/events/batches", { events })).items[0].customer_id);
    }
    expect(await club.make(`/customers/${ids[0]}/merge`, { other_id: ids[1] })).toMatchObject({
      totals: { orders: 800, spend: 960_000 },
    });
  });

  it("accepts every refund of an order, and a correction of one", async () => {
    const common = { occurred_at: "2026-05-01T10:00:00.000Z", currency: "GBP", order_ref: "ten" };
    const refund = (index: number, amount: number, source_version = 0) => ({
      customer: { id: "ten" },
      event: { ...common, type: "refund", external_id: `t${index}`, amount, source_version },
    });
    const order = {
      customer: { id: "ten" },
      event: { ...common, type: "order", external_id: "ten", amount: 10_000 },
    };
    const refunds = Array.from({ length: 60 }, (_, index) => refund(index, 100));
    await club.make("/events/batches", { events: [order, ...refunds] });
    const { customer_id: id } = await club.make("/events", refund(3, 500, 1));
    expect((await club.read(`/customers/${id}`)).totals).toMatchObject({ spend: 3_600, refunds: 6_400 });
  });
});

describe("diffs of recalculations", () => {
  it("are kept while they can be taken back, and forgotten a month after", async () => {
    await club.buy("r1", 60_000);
    await club.call("PATCH", `/programmes/${club.programme}`, { levels: rulesOf().levels.slice(0, 1) });
    await club.make(`/programmes/${club.programme}/publish`);
    const { id } = await club.make("/recalculations", { placement: "requalify" });
    await club.run(jobs.recalculate);
    const left = async () =>
      (
        await club.harness.services.runTx(club.part, (tx) =>
          tx.peekPage(recalculationMoves, { index: "by", value: id, limit: 100 }),
        )
      ).items.length;
    expect(await left()).toBeGreaterThan(0);
    club.harness.clock.advance(30 * 86_400_000);
    expect(await club.run(sweepDiffs)).toEqual({ swept: 0 });
    club.harness.clock.advance(86_400_000);
    const { swept } = await club.run(sweepDiffs);
    expect(swept).toBeGreaterThan(0);
    expect(await left()).toBe(0);
    expect((await club.read(`/recalculations/${id}`)).status).toBe("ready");
  });
});

describe("the mail of a drop", () => {
  const rules = rulesOf({ mail: { send: true, shop_name: "Club", shop_url: "" } });
  const about = (to: string, rank: number, before: string | null) => ({
    rules,
    member: { email: "ada@shop.example", name: "Ada" },
    aggregate: {
      tier: { level_id: to, name: to, rank, state: "held", since: "", expires_on: null },
      retain: null,
    },
    before: before === null ? null : { level_id: before, rank: 2 },
  });
  const template = (kind: string, to: string, where: ReturnType<typeof about>) =>
    // Only what the mail looks at is there.
    mailOf(
      { kind, to, from: "lvl_gold", on: "2026-06-01", cause: "term_end", evidence: [] } as never,
      where as never,
    )?.template ?? null;

  it("tells where it ended, and who is caught on the way is not told of a rise", () => {
    expect(template("downgraded", "lvl_base", about("lvl_silver", 1, "lvl_gold"))).toBe("tier-down");
    expect(template("upgraded", "lvl_silver", about("lvl_silver", 1, "lvl_gold"))).toBeNull();
    expect(template("downgraded", "lvl_base", about("lvl_gold", 2, "lvl_gold"))).toBeNull();
    expect(template("upgraded", "lvl_gold", about("lvl_gold", 2, "lvl_gold"))).toBeNull();
    expect(template("upgraded", "lvl_gold", about("lvl_gold", 2, null))).toBe("tier-up");
  });
});
