import { afterAll, beforeAll, expect, it } from "vitest";

import { storePartition } from "../../../server/core/partitions.ts";
import type { Harness } from "../../harness.ts";
import { createRig, deliveriesOf, emit, openReceiver, sendDue, subscribe, verify } from "./rig.ts";
import type { Receiver } from "./rig.ts";

let harness: Harness;
let receiver: Receiver;
beforeAll(async () => {
  harness = await createRig({ now: new Date().toISOString() });
  receiver = await openReceiver();
});
afterAll(async () => {
  await harness.close();
  await receiver.close();
});

const YEAR_MS = 365 * 86_400_000;
/** A key of test data with a clock so far from real time. */
async function keyAt(awayMs: number) {
  const key = await harness.key({ mode: "test" });
  const now = new Date(harness.clock.now() + awayMs).toISOString();
  const made = await harness.call("POST", "/v1/account/test-clock", { key, body: { now } });
  expect(made.status).toBe(201);
  return { key, part: storePartition(key.storeId, "test") };
}

it.each([
  ["next year", YEAR_MS],
  ["last year", -YEAR_MS],
])(
  "deliveries of test data with a clock of %s are sent, resent and signed in real time",
  async (_, awayMs) => {
    const { key, part } = await keyAt(awayMs);
    const hook = await subscribe(harness, key, { url: receiver.url });
    receiver.got.length = 0;
    const post = async (path: string, body: object = {}) => {
      const answer = await harness.call("POST", `/v1/account/webhooks/${hook.id}${path}`, { key, body });
      await sendDue(harness);
      return answer;
    };
    const test = await post("/test");
    await post(`/deliveries/${test.json.data.id}/resend`);
    await post("/resend", { since: "2020-01-01T00:00:00.000Z", only: "all" });
    expect(receiver.got.map(({ id }) => id)).toEqual(Array(3).fill(test.json.data.event_id));
    const rotated = await post("/rotate-secret");
    await emit(harness, part);
    await sendDue(harness);
    const last = receiver.got.at(-1);
    if (last === undefined) throw new Error("Nothing was sent.");
    for (const secret of [hook.secret, rotated.json.data.secret]) expect(verify(secret, last)).toBeTruthy();
  },
);

it("a listener of test data whose clock is in the past receives events", async () => {
  const { key, part } = await keyAt(-YEAR_MS);
  const { id } = await subscribe(harness, key, { url: "" });
  const event = await emit(harness, part);
  await sendDue(harness);
  expect(await deliveriesOf(harness, key, id)).toMatchObject([{ event_id: event, status: "pending" }]);
});
