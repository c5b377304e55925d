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

it("goes on with other requests where one fails, and tries it again ten minutes later", async () => {
  const { id } = await erase(ADA.email);
  const next = await erase(BEN.email);
  const { newId, ports, runTx, store } = world.harness.services;
  const { clock } = world.harness;
  let tries = 0;
  const job = createPrivacyJob({
    store,
    runTx,
    ports,
    mail: {
      forget: (email) => {
        if (email !== ADA.email.toLowerCase()) return Promise.resolve(0);
        tries += 1;
        return tries > 1 ? Promise.resolve(0) : Promise.reject(new Error("Out of order."));
      },
    },
  });
  const work = () =>
    job.run({
      now: clock.now(),
      nowAt: new Date(clock.now()).toISOString(),
      part: world.part,
      runTx,
      newId,
      ports,
      log: silentLog,
      signal: new AbortController().signal,
      hasTime: () => true,
    });
  await work();
  expect([(await read(id)).status, (await read(next.id)).status]).toEqual(["verified", "done"]);
  expect((await read(id)).retry_at).toBe(new Date(clock.now() + 600_000).toISOString());
  clock.advance(599_000);
  await work();
  expect((await read(id)).status).toBe("verified");
  clock.advance(1_000);
  await work();
  expect(await read(id)).toMatchObject({ status: "done", retry_at: null });
});
