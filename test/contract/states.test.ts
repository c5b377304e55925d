import { describe, expect, it } from "vitest";
import { z } from "zod";

import { defineTransitions } from "../../server/core/states.ts";
import { engines } from "../../server/registry.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { createTestClock } from "../harness.ts";
import { undeclared, watchStates } from "../support/state-changes.ts";

/** Members named `status` or `state` whose values no action leads to, and why. */
const NOT_DRAWN: Readonly<Record<string, string>> = {
  "allergens.products": "follows from the declarations, the ingredients and the time (rules/freshness.ts)",
  "allergens.product_versions": "a copy of the product as it was",
  "content.inspections": "queued, then done or failed: a job's result",
  "tiers.events": "accepted or ignored when it arrives",
  "menus.stock": "how much there is of an item, set as a value",
  "catering.accounts": "set as a value by the store",
  "catering.headcount_sources": "set as a value by the store",
  "content.articles": "what the last check of the URL found",
  "content.imports": "queued, then done or failed: a job's result",
  "reviews.invitations": "a record of mails: planned, then sent or not",
  "reviews.imports": "queued, then done or failed: a job's result",
  "subscriptions.payment_methods": "usable until it is revoked",
  "subscriptions.test_payments": "the test gateway's own records",
  "forms.files": "received, then attached or removed",
  "cart.code_batches": "running, then done: a job's result",
};

const Stateful = z.object({
  name: z.string(),
  schema: z.custom<z.ZodObject>((value) => value instanceof z.ZodObject),
});

/** Collections of an engine whose documents have a state, with its values. */
async function statefulIn(engine: string): Promise<Map<string, readonly string[]>> {
  const repository: Record<string, unknown> = await import(`../../server/engines/${engine}/repository.ts`);
  const found = new Map<string, readonly string[]>();
  for (const value of Object.values(repository)) {
    const { data } = Stateful.safeParse(value);
    const member: unknown = data?.schema.shape["status"] ?? data?.schema.shape["state"];
    if (data !== undefined && member instanceof z.ZodEnum) found.set(data.name, member.options.map(String));
  }
  return found;
}

describe("states of resources", () => {
  it.each(engines.map((engine) => [engine.name, engine] as const))(
    "are declared by each engine, or it says why not: %s",
    async (name, { states }) => {
      const stateful = await statefulIn(name);
      const missing = [...stateful.keys()].filter(
        (collection) => !states.some((machine) => machine.collection === collection),
      );
      expect(missing.filter((collection) => !Object.hasOwn(NOT_DRAWN, collection))).toEqual([]);
      for (const { collection, moves } of states) {
        const known = stateful.get(collection);
        expect([collection, known === undefined]).toEqual([collection, false]);
        const unknown = moves
          .flatMap(({ from, to }) => [from, to])
          .filter((state) => !known?.includes(state));
        expect([collection, unknown]).toEqual([collection, []]);
        expect(Object.hasOwn(NOT_DRAWN, collection)).toBe(false);
      }
    },
  );

  it("names no collection without a state as an exception", async () => {
    const all = await Promise.all(engines.map(({ name }) => statefulIn(name)));
    const stateful = new Set(all.flatMap((found) => [...found.keys()]));
    expect(Object.keys(NOT_DRAWN).filter((collection) => !stateful.has(collection))).toEqual([]);
  });

  it("are drawn for at least one resource of each engine with transitions", () =>
    expect(engines.filter(({ states }) => states.length === 0).map(({ name }) => name)).toEqual([
      "allergens",
    ]));

  it("come from one table: what it allows, from where, and what follows", () => {
    const machine = defineTransitions("Thing", {
      collection: "test.things",
      steps: {
        edit: [["a", "b"], null],
        go: [["a"], "b"],
        settle: [
          ["a", "b"],
          ["c", "b"],
        ],
      },
    });
    expect(machine.allows("edit", "b")).toBe(true);
    expect(machine.allows("go", "b")).toBe(false);
    expect(machine.from("settle")).toEqual(["a", "b"]);
    expect(machine.moves).toEqual([
      { action: "go", from: "a", to: "b" },
      { action: "settle", from: "a", to: "c" },
      { action: "settle", from: "a", to: "b" },
      { action: "settle", from: "b", to: "c" },
    ]);
  });

  it("are compared with what is stored: a change that no table has is found", async () => {
    const machine = defineTransitions("Thing", {
      collection: "test.things",
      steps: { go: [["a"], "b"] },
    });
    const store = watchStates(createMemoryDriver({ clock: createTestClock() }), [machine]);
    for (const status of ["a", "b", "b", "a"])
      await store.commit("sto", [{ put: "sto:test.things:1", value: JSON.stringify({ id: "1", status }) }]);
    expect([...undeclared]).toEqual(["test.things: b → a"]);
    undeclared.clear();
  });
});
