import { expect, it } from "vitest";

import { createRunner } from "../../server/mail/runner.ts";

const LIMITS = { max: 4, perKey: 2, lent: 3, slowMs: 20 };

/** Starts attempts of two senders that hold all places until `end`. */
function holdAll() {
  let end: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const started: string[] = [];
  let running = 0;
  const counts = { most: 0 };
  const runner = createRunner(async (id) => {
    started.push(id);
    running += 1;
    counts.most = Math.max(counts.most, running);
    await (id.startsWith("slow") ? held : new Promise(setImmediate));
    running -= 1;
    return "sent";
  }, LIMITS);
  const slow = ["a", "b"].flatMap((sender) =>
    [1, 2, 3].map((n) => runner.run(`slow-${sender}${n}`, { early: true, sender })),
  );
  return { runner, slow, started, counts, end };
}

it("gives the places of slow attempts to other senders, and none more to their own", async () => {
  const { end, runner, slow, started } = holdAll();
  expect(await runner.run("mail-of-c", { early: true, sender: "c" })).toBe("sent");
  expect(started.toSorted()).toEqual(["mail-of-c", "slow-a1", "slow-a2", "slow-b1", "slow-b2"]);
  end();
  expect(await Promise.all(slow)).toEqual(Array.from({ length: 6 }, () => "sent"));
});

it("has all its places, and no more, when slow attempts are over", async () => {
  const { counts, end, runner, slow } = holdAll();
  await runner.run("mail-of-c", { early: true, sender: "c" });
  end();
  await Promise.all(slow);
  counts.most = 0;
  const mails = Array.from({ length: 20 }, (_, n) => runner.run(`m${n}`, { early: true, sender: `s${n}` }));
  await Promise.all(mails);
  expect(counts.most).toBe(LIMITS.max);
});
