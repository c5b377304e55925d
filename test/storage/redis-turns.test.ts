import { expect, it } from "vitest";

import type { Client } from "../../server/storage/redis/client.ts";
import { NOT_COMPARED } from "../../server/storage/redis/identity.ts";
import { createNames } from "../../server/storage/redis/names.ts";
import { createTurns } from "../../server/storage/redis/turns.ts";

it("sends few large calls at a time, and lets partitions take turns", async () => {
  const under: (() => void)[] = [];
  let sent = 0;
  const refuse = (): never => {
    throw new Error("Nobody asks for this.");
  };
  const client: Client = {
    at: "redis",
    isCluster: false,
    run: refuse,
    runLarge: () =>
      new Promise((resolve) => {
        sent += 1;
        under.push(() => resolve([[], []]));
      }),
    ask: refuse,
    askAll: refuse,
    atTurnEnd: (send) => void setImmediate(send),
    listen: refuse,
    close: refuse,
  };
  const turns = createTurns(client, createNames("p:"), { same: NOT_COMPARED, clock: undefined });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const done: string[] = [];
  const ask = (part: string): Promise<unknown> => {
    const call = turns.join(part, 0, true);
    const step = call.ask("docs", [0]);
    return call.answered.then((answers) => done.push(`${part} ${JSON.stringify(answers.of(step))}`));
  };
  const all = Array.from({ length: 40 }, (_, n) => ask(`sto_${n % 20}`));
  await settle();
  await settle();
  expect(sent).toBe(4);
  // Before the second calls of those that asked earlier.
  all.push(ask("sto_new"), ask("sto_new"));
  for (let ended = 0; ended < 42; ended += 1) {
    await settle();
    await settle();
    expect(under.length).toBeLessThanOrEqual(4);
    under.shift()?.();
  }
  await Promise.all(all);
  expect(sent).toBe(42);
  expect(done.indexOf("sto_new []")).toBeLessThan(28);
});
