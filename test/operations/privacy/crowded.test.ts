import { strFromU8, unzipSync } from "fflate";
import { afterEach, beforeEach, expect, it } from "vitest";

import { withoutOthers } from "../../../server/operations/privacy/match.ts";
import { archiveOf } from "../../../server/operations/privacy/archive.ts";
import { privacyRequests } from "../../../server/operations/privacy/schema.ts";
import { stepRequest } from "../../../server/operations/privacy/work.ts";
import { recurringOrders } from "../../../server/engines/catering/repository.ts";
import type { StoreDriver } from "../../../server/storage/contract.ts";
import { longestOf, many, TURN_MS } from "../../support/longest-turn.ts";
import { ADA, createWorld } from "./world.ts";
import type { World } from "./world.ts";

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.harness.close());

/** References that hold addresses, as many as fit. */
const crowd = (lines: number, from: number): string[][] =>
  many(lines, (line) =>
    many(30, (ref) => many(12, (n) => `x${(from + (line * 30 + ref) * 12 + n).toString(36)}@b.c`).join(" ")),
  );

/** A recurring order that names Ada, and 360 others in each line. */
async function orderWith(lines: number, from = 0): Promise<void> {
  const { id } = await world.make("/catering/accounts", {
    legal_name: "Office",
    billing_contacts: [{ name: "Ben", email: "ben@office.example" }],
  });
  await world.make("/catering/recurring-orders", {
    account_id: id,
    title: `Lunch for ${ADA.email}`,
    dtstart: "2030-06-02T12:30",
    rrule: "FREQ=YEARLY",
    default_heads: 20,
    lines: crowd(lines, from).map((refs) => ({ type: "per_head", title: "Lunch", allergen_refs: refs })),
  });
}

const readOrder = async () => {
  const { items } = await world.harness.services.runTx(world.part, (tx) =>
    tx.peekPage(recurringOrders, { limit: 1 }),
  );
  const [stored] = items;
  if (stored === undefined) throw new Error("There is no order.");
  return stored.value;
};

it("removes thousands of other people from a document in one look at its texts", async () => {
  await orderWith(6);
  const order = await readOrder();
  const personal = recurringOrders.personal;
  if (personal === undefined) throw new Error("Orders are about people.");
  const known = new Set([ADA.email.toLowerCase()]);
  const longest = await longestOf(
    () => undefined,
    async () => {
      const shown = JSON.stringify(await withoutOthers(personal, order, known, world.part));
      expect(shown).toContain(ADA.email);
      expect(shown).not.toContain("@b.c");
    },
  );
  expect(longest).toBeLessThan(TURN_MS);
});

it("pauses between the people of a document that is freed of them one by one", async () => {
  const people = many(40, (n) => `x${n}@b.c`);
  const personal = {
    subjects: () => people,
    erased(value: { readonly left: number }) {
      for (const endMs = performance.now() + 4; performance.now() < endMs;);
      return { left: value.left - 1 };
    },
  };
  const longest = await longestOf(
    () => undefined,
    async () => {
      expect(await withoutOthers(personal, { left: 41 }, new Set([people[7] ?? ""]), "sto_a")).toEqual({
        left: 2,
      });
    },
  );
  expect(longest).toBeLessThan(TURN_MS);
});

it("has few large documents in memory at a time, and exports all of them", async () => {
  const bytes: number[] = [];
  for (let n = 0; n < 8; n += 1) await orderWith(30, n * 10_800);
  const { id } = await world.make("/account/privacy-requests", { type: "export", email: ADA.email });
  const { store, runTx, mail } = world.harness.services;
  const page: StoreDriver["page"] = async (...args) => {
    const found = await store.page(...args);
    bytes.push(found.items.reduce((sum, { value }) => sum + value.length, 0));
    return found;
  };
  const work = {
    store: { ...store, collections: store.collections, page },
    mail,
    ports: { realNow: world.harness.clock.now },
    compact: async () => true,
    part: world.part,
    now: world.harness.clock.now(),
    runTx,
  };
  for (let isMore = true; isMore;) isMore = await stepRequest(work, id);
  expect(Math.max(...bytes)).toBeLessThan(600_000);
  const { value } = await runTx(world.part, (tx) => tx.require(privacyRequests, id));
  const zip = unzipSync(
    new Uint8Array(await new Response(await archiveOf(runTx, world.part, value)).arrayBuffer()),
  );
  const orders = JSON.parse(strFromU8(zip["live/catering.recurring_orders.json"] ?? new Uint8Array()));
  expect(orders).toHaveLength(8);
});
