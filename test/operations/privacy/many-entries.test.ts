import { afterEach, beforeEach, expect, it } from "vitest";

import { silentLog } from "../../../server/core/log.ts";
import { createPrivacyJob } from "../../../server/operations/privacy/job.ts";
import { many } from "../../support/longest-turn.ts";
import { ADA, BEN, createWorld } from "./world.ts";
import type { World } from "./world.ts";

// What a person handed in is found by many words and answers, each of which is an index entry.

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.harness.close());

const erase = (email: string) => world.make("/account/privacy-requests", { type: "erase", email });
const read = (id: string) => world.make(`/account/privacy-requests/${id}`, undefined, { method: "GET" });

it("erases somebody who sent a form of many fields several times", async () => {
  const keys = many(24, (n) => `answer_${n}`);
  const form = await world.make("/forms", {
    name: "Wedding cakes",
    fields: [
      { key: "name", type: "name", label: "Name", required: true },
      { key: "email", type: "email", label: "E-mail", required: true },
      ...keys.map((key) => ({ key, type: "text", label: key })),
    ],
    settings: { captcha: "none" },
  });
  await world.make(`/forms/${form.id}/publish`);
  const name = "Ada Augusta King Noel Byron Countess of Lovelace the first programmer";
  const answers = Object.fromEntries(keys.map((key) => [key, `The answer to ${key}`]));
  for (let n = 0; n < 8; n += 1) {
    const data = { name, email: ADA.email, ...answers };
    await world.make(`/forms/${form.id}/submissions`, { data });
  }
  const { id } = await erase(ADA.email);
  const next = await erase(BEN.email);
  await world.work();
  expect(await read(id)).toMatchObject({ status: "done", evidence: { left: 0 } });
  expect((await read(next.id)).status).toBe("done");
  const listed = await world.make(`/forms/${form.id}/submissions`, undefined, { method: "GET" });
  expect(listed.map(({ status }: { status: string }) => status)).toEqual(many(8, () => "erased"));
});

it("goes on with other requests where one fails", async () => {
  const { id } = await erase(ADA.email);
  const next = await erase(BEN.email);
  const { newId, ports, runTx, store } = world.harness.services;
  const now = world.harness.clock.now();
  const job = createPrivacyJob({
    store,
    runTx,
    ports,
    mail: {
      forget: (email) =>
        email === ADA.email.toLowerCase() ? Promise.reject(new Error("Out of order.")) : Promise.resolve(0),
    },
  });
  await job.run({
    now,
    nowAt: new Date(now).toISOString(),
    part: world.part,
    runTx,
    newId,
    ports,
    log: silentLog,
    signal: new AbortController().signal,
    hasTime: () => true,
  });
  expect([(await read(id)).status, (await read(next.id)).status]).toEqual(["verified", "done"]);
});
