import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { storePartition } from "../../server/core/partitions.ts";
import { stageStoreMail } from "../../server/core/store-mail.ts";
import { invertedOrder } from "../../server/core/ids.ts";
import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";

const ADMIN = "/api/platform/admin";
const CANCELLED = {
  manage_url: "https://api.shop.example/x",
  shop_name: "Beans",
  customer_name: "Ada",
  lines: "Coffee",
  ends_on: "30 June 2026",
  refund: "",
};

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness.close());

/** Has engines send this many mails: their ids are hashes. */
async function forwardMails(count: number, to = "guest@shop.example"): Promise<void> {
  const { storeId } = await harness.key();
  for (let index = 0; index < count; index += 1) {
    await harness.services.runTx(storePartition(storeId, "live"), (tx) =>
      stageStoreMail(tx, {
        id: `ltr_${storeId}_${index}`,
        to,
        template: "subscription-cancelled",
        data: CANCELLED,
        created_at: new Date(harness.clock.now()).toISOString(),
      }),
    );
    harness.clock.advance(1_000);
    await harness.services.jobs.run("mail.forward");
  }
}

const signUp = async (email: string): Promise<void> => {
  harness.clock.advance(60_000);
  const body = { email, storeIdentifier: "shop" };
  expect((await harness.call("POST", "/api/platform/signup", { body })).status).toBe(201);
};

describe("every list of mails", () => {
  it("is newest first: the mail of a signup is on the first page, whatever engines sent before", async () => {
    await forwardMails(60);
    await signUp("new@shop.example");
    const inbox = await harness.call("GET", "/_/inbox");
    expect(inbox.text.indexOf("new@shop.example")).toBeGreaterThan(0);
    expect(inbox.text.indexOf("new@shop.example")).toBeLessThan(inbox.text.indexOf("guest@shop.example"));
    const { data, meta } = (await harness.admin("GET", `${ADMIN}/mail?limit=40`)).json;
    const rest = await harness.admin("GET", `${ADMIN}/mail?limit=40&cursor=${meta.pagination.next_cursor}`);
    const times = [...data, ...rest.json.data].map(({ created_at }) => created_at);
    expect(times).toHaveLength(61);
    expect(times).toEqual(times.toSorted((a, b) => (a < b ? 1 : -1)));
  }, 30_000);

  it("leads from the inbox of development to older mails by a signed cursor, and 422 for any other", async () => {
    await forwardMails(51);
    const inbox = await harness.call("GET", "/_/inbox");
    const older = /href="(\/_\/inbox\?after=[^"]+)"/.exec(inbox.text)?.[1] ?? "";
    const last = await harness.call("GET", older);
    expect([last.status, last.text.match(/href="\/_\/inbox\/mail_/g)?.length]).toEqual([200, 1]);
    for (const after of ["x", "%00", "mail%3A..%2F", "C%3A~", `${older.split("=")[1]}x`]) {
      expect((await harness.call("GET", `/_/inbox?after=${after}`)).status, after).toBe(422);
    }
  });

  it("is newest first for one address, too, and its latest link is found", async () => {
    await forwardMails(5, "ada@shop.example");
    await signUp("ada@shop.example");
    const { data } = (await harness.admin("GET", `${ADMIN}/mail?to=ada@shop.example`)).json;
    expect(data.map(({ template }: { template: string }) => template)).toEqual([
      "verify",
      ...Array.from({ length: 5 }, () => "subscription-cancelled"),
    ]);
  });

  it("forgets entries in the order of earlier versions together with their mail", async () => {
    await signUp("old@shop.example");
    const [{ id }] = (await harness.admin("GET", `${ADMIN}/mail`)).json.data;
    const earlier = `platform:ix.mail.new:@${invertedOrder(id)}~${id}` as const;
    await harness.store.commit("platform", [{ put: earlier, value: "1" }]);
    await harness.services.mail.forget("old@shop.example");
    expect(await harness.store.get(earlier)).toBeNull();
  });
});

describe("a mail that was sent", () => {
  const resend = (id: string) => harness.admin("POST", `${ADMIN}/mail/${id}/resend`);
  const first = async (): Promise<{ id: string; subject: string }> =>
    (await harness.admin("GET", `${ADMIN}/mail`)).json.data[0];

  it("is sent again as a new mail with the same text", async () => {
    await signUp("ada@shop.example");
    const { id, subject } = await first();
    harness.clock.advance(60_000);
    const answer = await resend(id);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json.data).toMatchObject({ status: "sent", subject, attempts: 1, to: "ada@shop.example" });
    expect(answer.json.data.id).not.toBe(id);
    expect((await first()).id).toBe(answer.json.data.id);
    const copy = await harness.services.mail.get(answer.json.data.id);
    expect(copy?.message.message_id).toContain(answer.json.data.id);
  });

  it("is not sent again once its content has expired, nor before it was sent, nor where it is marketing", async () => {
    await signUp("ada@shop.example");
    const { id } = await first();
    harness.clock.advance(8 * 86_400_000);
    expect((await resend(id)).json.error).toMatchObject({ status: 409, code: "mail_expired" });
    const mail = await harness.services.mail.get(id);
    if (mail === null) throw new Error("The mail is gone.");
    const put = (change: object) =>
      harness.store.commit("platform", [
        { put: `platform:mail:${id}`, value: JSON.stringify({ schema_version: 1, ...mail, ...change }) },
      ]);
    const expires_at = "2027-01-01T00:00:00.000Z";
    await put({ expires_at, state: "queued" });
    expect((await resend(id)).json.error).toMatchObject({ status: 409, code: "mail_not_sent" });
    await put({
      expires_at,
      state: "sent",
      message: { ...mail.message, unsubscribe_url: "https://shop.example/u" },
    });
    expect((await resend(id)).json.error).toMatchObject({ status: 409, code: "mail_marketing" });
    expect((await resend("mail_00000000000000000000000000")).status).toBe(404);
  });
});
