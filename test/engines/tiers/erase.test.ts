import { expect, it } from "vitest";

import { customers, events, moves } from "../../../server/engines/tiers/repository.ts";
import type { StoreDriver } from "../../../server/storage/contract.ts";
import { createMemoryDriver } from "../../../server/storage/memory.ts";
import { createTestClock } from "../../harness.ts";
import { createClub } from "./club.ts";

it.each([moves, customers])(
  "a customer who buys while being erased ($name) can be erased with that order",
  async ({ name }) => {
    const inner = createMemoryDriver({ clock: createTestClock() });
    let meddle: (() => Promise<unknown>) | null = null;
    const store: StoreDriver = {
      ...inner,
      async commit(part, ops, ...rest) {
        const isMet = ops.some((op) => "del" in op && op.del.startsWith(`${part}:${name}:`));
        const result = await inner.commit(part, ops, ...rest);
        const run = isMet ? meddle : null;
        if (isMet) meddle = null;
        await run?.();
        return result;
      },
    };
    const club = await createClub({}, { store });
    const ada = await club.buy("ada", 1000);
    await club.buy("ben", 1000);
    meddle = () => club.buy("ada", 2000);
    await club.make(`/customers/${ada}/erase`);
    expect(meddle).toBeNull();
    // The order may be the first of a customer who came after that.
    const again = await club.call("POST", `/customers/${ada}/erase`);
    expect([200, 404]).toContain(again.status);
    const left = await club.harness.services.runTx(club.part, async (tx) => ({
      shown: (await tx.peekAll(customers)).map(({ value }) => value.customer_id),
      events: (await tx.peekAll(events, { index: "by", value: ada })).length,
    }));
    expect(left).toEqual({ shown: ["ben"], events: 0 });
    await club.harness.close();
  },
);
