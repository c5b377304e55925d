import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { strFromU8, unzipSync } from "fflate";

import { storeMails } from "../../../server/core/store-mail.ts";
import { stepRequest } from "../../../server/operations/privacy/work.ts";
import { privacyParts } from "../../../server/operations/privacy/schema.ts";
import { ADA, BEN, createWorld, leaveTraces, tracesOf } from "./world.ts";
import type { World } from "./world.ts";

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.harness.close());

const ask = (body: object) => world.make("/account/privacy-requests", body);
const read = (id: string) => world.make(`/account/privacy-requests/${id}`, undefined, { method: "GET" });
const linkOf = async (): Promise<string> => {
  const found = await world.harness.services.runTx(world.part, (tx) =>
    tx.peekAll(storeMails, { index: "waiting" }),
  );
  const storeMail = found.find(({ value }) => value.template === "privacy-confirm");
  return new URL(String(storeMail?.value.data["link"])).pathname;
};
const bytesOf = async (path: string): Promise<Record<string, Uint8Array>> => {
  const headers = path.startsWith("/v1") ? { authorization: `Bearer ${world.key.plaintext}` } : {};
  const answer = await world.harness.app.fetch(new Request(`http://platform.test${path}`, { headers }));
  expect(answer.status).toBe(200);
  return unzipSync(new Uint8Array(await answer.arrayBuffer()));
};

describe("an export", () => {
  it("is a zip of JSON and CSV with all of the person and nothing of others", async () => {
    await leaveTraces(world, ADA);
    await leaveTraces(world, BEN);
    const { id } = await ask({ type: "export", email: ADA.email });
    const early = await world.harness.call("GET", `/v1/account/privacy-requests/${id}/export`, {
      key: world.key,
    });
    expect(early.json.error.code).toBe("no_export");
    await world.work();
    const files = await bytesOf(`/v1/account/privacy-requests/${id}/export`);
    const names = Object.keys(files);
    for (const collection of [
      "subscriptions.contracts",
      "subscriptions.charges",
      "catering.quotes",
      "cart.carts",
      "tiers.events",
    ]) {
      expect(names).toContain(`live/${collection}.json`);
      expect(names).toContain(`live/${collection}.csv`);
    }
    const text = Object.values(files)
      .map((bytes) => strFromU8(bytes))
      .join("\n");
    for (const trace of tracesOf(ADA)) expect([trace, text.includes(trace)]).toEqual([trace, true]);
    for (const trace of tracesOf(BEN)) expect([trace, text.includes(trace)]).toEqual([trace, false]);
    const [contract] = JSON.parse(strFromU8(files["live/subscriptions.contracts.json"] ?? new Uint8Array()));
    expect(contract.customer.name).toBe(ADA.name);
    expect(strFromU8(files["live/subscriptions.contracts.csv"] ?? new Uint8Array())).toContain(
      "customer.name",
    );
  });

  it("is forgotten after two weeks, with the address", async () => {
    await leaveTraces(world, ADA);
    const { id } = await ask({ type: "export", email: ADA.email });
    await world.work();
    expect(await read(id)).toMatchObject({ status: "done", email: ADA.email.toLowerCase() });
    world.harness.clock.advance(14 * 86_400_000);
    await world.work();
    expect(await read(id)).toMatchObject({ status: "done", email: null, parts: 0 });
    const left = await world.harness.services.runTx(world.part, (tx) =>
      tx.peekPage(privacyParts, { index: "request", value: id, limit: 1 }),
    );
    expect(left.items).toEqual([]);
  });
});

describe("a request that the person has to confirm", () => {
  it("waits for the button of the mail's page, not for a look at it", async () => {
    const { id } = await ask({ type: "export", email: ADA.email, verify: true });
    const link = await linkOf();
    const page = await world.harness.call("GET", link);
    expect(page.text).toContain("<button>Confirm</button>");
    await world.work();
    expect((await read(id)).status).toBe("received");
    const pressed = await world.harness.call("POST", link, {
      body: "",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect(pressed.text).toContain("being processed");
    expect(await read(id)).toMatchObject({ status: "verified", verified_by: "person" });
    await world.work();
    expect((await world.harness.call("GET", link)).text).toContain(`${link}/export`);
    expect(Object.keys(await bytesOf(`${link}/export`))).toContain("about.json");
    expect((await world.harness.call("GET", `${link}x`)).status).toBe(404);
  });

  it("is forgotten when nobody confirms it, and can be refused", async () => {
    const late = await ask({ type: "erase", email: ADA.email, verify: true });
    world.harness.clock.advance(14 * 86_400_000);
    await world.work();
    expect(await read(late.id)).toMatchObject({ status: "rejected", email: null });
    const { id } = await ask({ type: "erase", email: ADA.email, verify: true });
    expect(await world.make(`/account/privacy-requests/${id}/reject`, {})).toMatchObject({
      status: "rejected",
      email: null,
    });
    const again = await world.harness.call("POST", `/v1/account/privacy-requests/${id}/verify`, {
      key: world.key,
      body: {},
    });
    expect(again.json.error.code).toBe("invalid_transition");
  });
});

describe("whom it is about", () => {
  it("follows no customer id that another address has as well, unless it is named", async () => {
    const guest = { ...ADA, id: "guest" };
    await leaveTraces(world, guest);
    await leaveTraces(world, { ...BEN, id: "guest" });
    const methods = () =>
      world.make("/subscriptions/payment-methods?limit=100", undefined, { method: "GET" });
    const { id } = await ask({ type: "erase", email: ADA.email });
    await world.work();
    expect(await read(id)).toMatchObject({ status: "done", shared_ids: 1, evidence: { left: 0 } });
    expect(
      (await methods()).filter(({ customer_id: of }: { customer_id: string }) => of === "guest"),
    ).toHaveLength(2);
    const named = await ask({ type: "erase", email: BEN.email, customer_ids: ["guest"] });
    await world.work();
    expect((await read(named.id)).shared_ids).toBe(0);
    expect(
      (await methods()).filter(({ customer_id: of }: { customer_id: string }) => of === "guest"),
    ).toEqual([]);
  });

  it("a test key reaches the test data alone", async () => {
    await leaveTraces(world, ADA);
    const key = await world.harness.key({
      mode: "test",
      store_id: world.key.storeId,
      customer_id: world.key.customerId,
    });
    const { id } = await world.make(
      "/account/privacy-requests",
      { type: "erase", email: ADA.email },
      { key },
    );
    await world.work();
    expect(
      await world.make(`/account/privacy-requests/${id}`, undefined, { method: "GET", key }),
    ).toMatchObject({
      status: "done",
      // The stored answer to this very request.
      evidence: { found: 1, collections: { "http.idempotency": 1 } },
    });
    expect(
      (await world.make("/subscriptions/contracts", undefined, { method: "GET" }))[0].customer.email,
    ).toBe(ADA.email);
  });
});

it("goes on where it was broken off, and comes to the same", async () => {
  await leaveTraces(world, ADA);
  const { id } = await ask({ type: "erase", email: ADA.email });
  const { store, runTx, mail } = world.harness.services;
  let steps = 0;
  const realNow = world.harness.clock.now;
  const deps = { store, mail, ports: { realNow }, compact: async () => true };
  const work = { ...deps, part: world.part, now: realNow() };
  for (; steps < 500; steps += 1) {
    // Every other step dies before its last commit: what it did is done again.
    let commits = 0;
    const dying: typeof runTx = (part, run) =>
      runTx(part, async (tx) => {
        commits += 1;
        if (steps % 2 === 1 && commits === 3) throw new Error("died");
        return run(tx);
      });
    try {
      if (!(await stepRequest({ ...work, runTx: dying }, id))) break;
    } catch (error) {
      expect(String(error)).toContain("died");
    }
  }
  expect(await read(id)).toMatchObject({ status: "done", evidence: { left: 0 } });
});
