import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { storeMails } from "../../../server/core/store-mail.ts";
import { openEvaluation } from "../../../server/engines/tiers/routes/env.ts";
import { EventBody } from "../../../server/engines/tiers/schema/event.ts";
import { ingestHistory } from "../../../server/engines/tiers/services/ingest.ts";
import type { PreparedHistory } from "../../../server/engines/tiers/services/ingest.ts";
import { replayHistories } from "../../../server/engines/tiers/services/replay-tasks.ts";
import { toInstant } from "../../../server/lib/instant.ts";
import type { Club } from "./club.ts";
import { createClub } from "./club.ts";

const orderOn = (customer: string, on: string, amount: number, name = `${customer}-${on}`) => ({
  customer: { id: customer, email: `${customer}@shop.example` },
  event: {
    type: "order",
    external_id: name,
    order_ref: name,
    occurred_at: `${on}T10:00:00.000Z`,
    currency: "GBP",
    amount,
  },
});

describe("an import of history", () => {
  let club: Club;
  beforeAll(async () => {
    club = await createClub({ mail: { send: true, shop_name: "Shop", shop_url: "" } });
  });
  afterAll(() => club.harness.close());
  const mails = () =>
    club.harness.services.runTx(
      club.part,
      async (tx) => (await tx.peekAll(storeMails, { index: "waiting" })).length,
    );
  const tierOf = async (customer: string) =>
    (await club.read("/customers?limit=100")).find(
      ({ customer_id: id }: { customer_id: string }) => id === customer,
    ).tier;

  it("dates levels from the events and sends no mail; without backfill both are of today", async () => {
    const events = ["ada", "bob"].map((customer) => orderOn(customer, "2025-09-10", 60_000));
    const imported = await club.make("/events/batches", { backfill: true, events });
    expect(imported.accepted).toBe(2);
    expect(await tierOf("ada")).toMatchObject({
      name: "Silver",
      since: "2025-09-10",
      expires_on: "2026-09-10",
    });
    expect(await mails()).toBe(0);
    await club.make("/events/batches", { events: [orderOn("cyd", "2025-09-10", 60_000)] });
    expect(await tierOf("cyd")).toMatchObject({ name: "Silver", since: "2026-06-01" });
    expect(await mails()).toBe(1);
  });

  it("gives the same level and log in whatever order and batches the history comes", async () => {
    const history = (customer: string) => [
      orderOn(customer, "2024-01-05", 60_000),
      orderOn(customer, "2024-03-01", 50_000),
      orderOn(customer, "2025-08-01", 70_000),
    ];
    await club.make("/events/batches", { backfill: true, events: history("dan") });
    for (const one of history("eve")) await club.make("/events/batches", { backfill: true, events: [one] });
    for (const one of history("fay").toReversed()) {
      await club.make("/events/batches", { backfill: true, events: [one] });
    }
    const dan = await tierOf("dan");
    expect(await tierOf("eve")).toEqual(dan);
    expect(await tierOf("fay")).toEqual(dan);
    const log = async (customer: string) => {
      const { id } = (await club.read("/customers?limit=100")).find(
        ({ customer_id: own }: { customer_id: string }) => own === customer,
      );
      return (await club.read(`/customers/${id}/moves?limit=100`)).map(
        ({ kind, on, created_at: at }: { kind: string; on: string; created_at: string }) =>
          `${kind} ${on} ${at.slice(0, 4)}`,
      );
    };
    expect(await log("eve")).toEqual(await log("dan"));
    expect(await log("fay")).toEqual(await log("dan"));
    expect((await log("dan")).at(-1)).toBe("joined 2024-01-05 2024");
  });

  it("computes levels between two transactions, and again where the customer was changed meanwhile", async () => {
    const now = club.harness.clock.now();
    const bodies = [EventBody.parse(orderOn("gus", "2025-09-10", 60_000))];
    const ingest = (prepared: PreparedHistory | null) =>
      club.harness.services.runTx(club.part, async (tx) =>
        ingestHistory(tx, await openEvaluation({ tx, now, nowAt: toInstant(now) }), bodies, prepared),
      );
    const prepare = async (prepared: PreparedHistory | null): Promise<PreparedHistory> => {
      const result = await ingest(prepared);
      if (!("missing" in result)) throw new Error("Nothing is missing.");
      return { history: result.missing, replayed: await replayHistories(club.part, result.missing) };
    };
    const early = await prepare(null);
    // Nothing is stored, so that other events of the customer do not wait for the first transaction.
    await club.make("/events", orderOn("gus", "2026-05-30", 100));
    const late = await prepare(early);
    expect(await ingest(late)).toMatchObject({ outcomes: [{ status: "accepted" }] });
    expect(await tierOf("gus")).toMatchObject({ name: "Silver", since: "2025-09-10" });
    expect(await ingest(null)).toMatchObject({ outcomes: [{ status: "duplicate" }] });
  });
});
