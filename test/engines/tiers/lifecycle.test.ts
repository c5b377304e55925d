import { describe, expect, it } from "vitest";

import { NO_ENGINE_PORTS } from "../../../server/core/ports.ts";
import { storeMails } from "../../../server/core/store-mail.ts";
import { members } from "../../../server/engines/tiers/repository.ts";
import { createClub, jobs, refusal } from "./club.ts";
import { level, spends } from "./fixture.ts";

const DAY = 86_400_000;

describe("a member", () => {
  it("climbs, is warned, loses the tier, and every move is in the log with its evidence", async () => {
    const club = await createClub({ notice_days: [30] });
    const { clock, services } = club.harness;
    const id = await club.buy("ada", 60_000);
    const tier = async () => (await club.read(`/customers/${id}`)).tier;
    expect(await tier()).toMatchObject({ name: "Silver", since: "2026-06-01", expires_on: "2027-06-01" });
    const waiting = async () =>
      (await services.runTx(club.part, (tx) => tx.peekAll(storeMails, { index: "waiting" }))).map(
        ({ value }) => `${value.template} ${value.to}`,
      );
    expect(await waiting()).toEqual(["tier-up ada@shop.example"]);
    clock.set("2027-05-02T09:00:00.000Z");
    // The order of 1 June still counts on the last day but not on the day before the end.
    await club.run(jobs.review);
    expect((await club.read(`/customers/${id}`)).retain).toEqual({ by: "2027-06-01", missing: [] });
    clock.set("2027-06-01T09:00:00.000Z");
    await club.run(jobs.review);
    expect(await tier()).toMatchObject({ name: "Silver", expires_on: "2028-06-01" });
    clock.set("2028-05-02T09:00:00.000Z");
    await club.run(jobs.review);
    expect((await waiting()).at(-1)).toBe("tier-at-risk ada@shop.example");
    clock.set("2028-06-01T09:00:00.000Z");
    expect(await club.run(jobs.review)).toEqual({ reviewed: 1, failed: 0 });
    expect(await tier()).toMatchObject({ name: "Base", rank: 0, expires_on: null });
    expect((await waiting()).at(-1)).toBe("tier-down ada@shop.example");
    expect(await club.run(jobs.review)).toEqual({ reviewed: 0, failed: 0 });
    const log = await club.read(`/customers/${id}/moves`);
    expect(log.map(({ kind }: { kind: string }) => kind)).toEqual([
      "downgraded",
      "expiring",
      "renewed",
      "upgraded",
      "joined",
    ]);
    expect(log[1].evidence[0]).toMatchObject({ have: 0, need: 50_000, gap: 50_000 });
    await club.harness.close();
  });

  it("has the same figures whatever order events come in, and twice is once", async () => {
    const club = await createClub();
    const at = "2026-05-01T10:00:00.000Z";
    const common = { currency: "GBP", order_ref: "r", occurred_at: at };
    const refund = { type: "refund", external_id: "b", amount: 5000, ...common };
    const order = { type: "order", external_id: "a", amount: 60_000, ...common };
    const event = (customer: string, one: object) => ({ customer: { id: customer }, event: one });
    const other = (one: { external_id: string }) => ({
      ...one,
      external_id: `${one.external_id}2`,
      order_ref: "r2",
    });
    const first = await club.make("/events/batches", {
      events: [
        event("ada", order),
        event("bob", other(refund)),
        event("ada", refund),
        event("bob", other(order)),
      ],
    });
    expect(first).toMatchObject({ accepted: 4, duplicate: 0, ignored: 0 });
    const again = await club.make("/events/batches", { events: [event("ada", refund), event("ada", order)] });
    expect(again).toMatchObject({ accepted: 0, duplicate: 2 });
    const wrong = await club.make("/events", event("ada", { ...order, amount: 1 }));
    expect(wrong).toMatchObject({ status: "ignored", reason: "contradicts" });
    const euro = { ...order, external_id: "c", order_ref: "c", currency: "EUR" };
    expect(await club.make("/events", event("ada", euro))).toMatchObject({
      status: "ignored",
      reason: "currency",
    });
    const all = await club.read("/customers");
    const [ada, bob] = ["ada", "bob"].map((id) =>
      all.find((one: { customer_id: string }) => one.customer_id === id),
    );
    expect(ada.totals).toEqual({ orders: 1, spend: 55_000, refunds: 5000, aov: 55_000 });
    expect(bob.totals).toEqual(ada.totals);
    expect(bob.tier).toEqual(ada.tier);
    expect((await club.read(`/customers/${ada.id}/events`)).length).toBe(3);
    await club.harness.close();
  });

  it("keeps the higher of an override and what was earned, is merged, and is erased", async () => {
    const club = await createClub();
    const ada = await club.buy("ada", 60_000);
    const bob = await club.buy("bob", 60_000);
    const gold = { level_id: "lvl_gold", until: "2026-07-01", reason: "A parcel was lost" };
    const lifted = await club.make(`/customers/${ada}/overrides`, gold);
    expect(lifted.tier).toMatchObject({ name: "Gold", state: "manual", expires_on: "2026-07-01" });
    club.harness.clock.set("2026-07-01T09:00:00.000Z");
    await club.run(jobs.review);
    expect((await club.read(`/customers/${ada}`)).tier).toMatchObject({ name: "Silver", state: "held" });
    const [override] = lifted.overrides;
    const gone = await club.call("DELETE", `/customers/${ada}/overrides/${override.id}`);
    expect([gone.status, gone.json.data.overrides]).toEqual([200, []]);
    const merged = await club.make(`/customers/${ada}/merge`, { other_id: bob });
    expect(merged).toMatchObject({ totals: { orders: 2, spend: 120_000 }, tier: { name: "Gold" } });
    expect((await club.call("GET", `/customers/${bob}`)).status).toBe(404);
    expect(await club.buy("bob", 1000)).toBe(ada);
    expect(await club.make(`/customers/${ada}/erase`)).toMatchObject({ id: ada, events: 3 });
    expect((await club.call("GET", `/customers/${ada}`)).status).toBe(404);
    expect(await club.read("/customers")).toEqual([]);
    await club.harness.close();
  });

  it("is erased from what recalculations show of it", async () => {
    const club = await createClub();
    const ada = await club.buy("ada", 40_000);
    const levels = [level(0, "Base"), level(1, "Silver", spends(30_000))];
    await club.call("PATCH", `/programmes/${club.programme}`, { levels });
    await club.make(`/programmes/${club.programme}/publish`);
    const { id } = await club.make("/recalculations", {});
    await club.run(jobs.recalculate);
    expect(await club.read(`/recalculations/${id}/moves`)).toHaveLength(1);
    await club.make(`/customers/${ada}/erase`);
    expect(await club.read(`/recalculations/${id}/moves`)).toEqual([]);
    expect(await club.read(`/recalculations/${id}`)).toMatchObject({ counts: { up: 1 }, moves_sample: [] });
    await club.harness.close();
  });

  it("has the override that was created last after a merge, whichever of the two had it", async () => {
    const club = await createClub();
    const [ada, bob] = [await club.buy("ada", 1000), await club.buy("bob", 1000)];
    const lift = (id: string, level_id: string) =>
      club.make(`/customers/${id}/overrides`, { level_id, exact: true, reason: "A parcel was lost" });
    await lift(bob, "lvl_silver");
    club.harness.clock.advance(60_000);
    await lift(ada, "lvl_gold");
    const merged = await club.make(`/customers/${ada}/merge`, { other_id: bob });
    expect(merged.tier).toMatchObject({ name: "Gold", state: "manual" });
    await club.harness.close();
  });

  it("is merged without what was folded in a currency that the programme had before", async () => {
    const club = await createClub();
    const [ada, bob] = [await club.buy("ada", 1000), await club.buy("bob", 1000)];
    const fold = (id: string, currency: string, spend: number) =>
      club.harness.services.runTx(club.part, async (tx) => {
        const stored = await tx.require(members, id);
        const { ledger } = stored.value;
        const folded = {
          ...ledger.folded,
          orders: 1,
          spend,
          currency,
          refs: [`${currency}0123456789`.slice(0, 12)],
        };
        return tx.put(members, stored, { ...stored.value, ledger: { ...ledger, folded } });
      });
    // A million yen, and ten pounds.
    await fold(ada, "JPY", 1_000_000);
    await fold(bob, "GBP", 1000);
    const merged = await club.make(`/customers/${ada}/merge`, { other_id: bob });
    expect(merged.totals).toMatchObject({ orders: 3, spend: 3000 });
    await club.harness.close();
  });

  it("tells other engines what it has", async () => {
    const club = await createClub();
    await club.buy("ada", 60_000);
    const { runTx, ports } = club.harness.services;
    const tierOf = (customer: string) => runTx(club.part, (tx) => ports.engines.tierOf(tx, customer));
    expect(await tierOf("ada")).toEqual({ level_id: "lvl_silver", name: "Silver", rank: 1, benefits: [] });
    expect(await tierOf("nobody")).toBeNull();
    expect(await runTx(club.part, (tx) => NO_ENGINE_PORTS.tierOf(tx, "ada"))).toBeNull();
    await club.harness.close();
  });
});

describe("lists", () => {
  it("filter by what an index serves", async () => {
    const club = await createClub();
    await club.buy("ada", 60_000);
    club.harness.clock.advance(DAY);
    await club.buy("bob", 120_000);
    await club.buy("cyd", 40_000);
    const names = async (query: string) =>
      (await club.read(`/customers?${query}`)).map((one: { customer_id: string }) => one.customer_id);
    expect(await names("level_id=lvl_gold")).toEqual(["bob"]);
    expect(await names("state=held")).toHaveLength(3);
    expect(await names("customer_id=cyd")).toEqual(["cyd"]);
    expect(await names("expiring_before=2027-06-02")).toEqual(["ada"]);
    expect(await names("min_spend=60000")).toEqual(["bob", "ada"]);
    expect(await names("near_upgrade_bps=7000")).toEqual(["cyd"]);
    expect(await names("sort=spend")).toEqual(["bob", "ada", "cyd"]);
    expect(await names("segment=champions")).toEqual([]);
    expect(await names("level_id=lvl_silver&min_spend=1")).toEqual(["ada"]);
    expect(await names("level_id=lvl_gold&state=held")).toEqual(["bob"]);
    expect(await names("state=held&sort=spend")).toEqual(["bob", "ada", "cyd"]);
    const both = await club.call("GET", "/customers?min_spend=1&near_upgrade_bps=1");
    expect([both.status, both.json.error.errors[0].parameter]).toEqual([422, "near_upgrade_bps"]);
    const levels = await club.read("/levels");
    expect(levels.map(({ name, members }: { name: string; members: number }) => [name, members])).toEqual([
      ["Base", 1],
      ["Silver", 1],
      ["Gold", 1],
    ]);
    const metrics = await club.read("/metrics");
    expect(metrics).toMatchObject({ moves: { joined: 3, upgraded: 2 }, retention_bps: null, complete: true });
    await club.harness.close();
  });
});

describe("programmes", () => {
  it("409 before one is published; publishing archives the one before", async () => {
    const club = await createClub();
    const other = await club.make("/programmes", {
      name: "Second",
      levels: [{ id: "lvl_a", name: "A", rank: 0, entry: { all: [] } }],
    });
    await club.make(`/programmes/${other.id}/publish`);
    const states = (await club.read("/programmes")).map(({ status }: { status: string }) => status);
    expect(states).toEqual(["active", "archived"]);
    const stranger = await club.harness.key();
    for (const path of ["/v1/tiers/levels", "/v1/tiers/ladder"]) {
      const answer = await club.harness.call("GET", path, { key: stranger });
      expect(refusal(answer), path).toBe("409 no_programme");
    }
    await club.harness.close();
  });

  it.each([
    ["a gap in the ranks", [0, 2]],
    ["no base", [1]],
    ["a rank twice", [0, 0]],
  ])("422 for %s", async (_, ranks) => {
    const club = await createClub();
    const levels = ranks.map((rank, at) => ({ id: `lvl_${at}`, name: "L", rank, entry: { all: [] } }));
    const answer = await club.call("POST", "/programmes", { name: "x", levels });
    expect([answer.status, answer.json.error.errors[0].pointer]).toEqual([422, "#/levels"]);
    await club.harness.close();
  });
});
