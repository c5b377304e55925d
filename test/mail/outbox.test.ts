import { afterEach, describe, expect, test } from "vitest";

import { mailOps } from "../../server/mail/record.ts";
import { waitAfter } from "../../server/mail/retry.ts";
import type { MailTransport } from "../../server/mail/transport.ts";
import { StoreError } from "../../server/storage/contract.ts";
import type { StoreDriver } from "../../server/storage/contract.ts";
import { DAY, HOUR, MINUTE, SECOND, createRig, createSeededRandom, smtpTo, until } from "./rig.ts";
import type { Rig } from "./rig.ts";
import { acceptUntilEnd, findClosedPort, parseMail, startPeer, startScript, toError } from "./smtp-peer.ts";
import { testSeed } from "../seeded.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function track<T extends { close(): Promise<void> }>(peer: T): T {
  closers.push(() => peer.close());
  return peer;
}

/** A promise that the test settles. */
function gate(): { opened: Promise<null>; open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<null>((resolve) => {
    open = () => resolve(null);
  });
  return { opened, open };
}

const byText = (one: string | undefined, other: string | undefined): number =>
  (one ?? "") < (other ?? "") ? -1 : 1;

const patient = { timeoutMs: 15_000 };

describe("a mail server that takes the mail", () => {
  test("delivered at once, recorded, and told truthfully", async () => {
    const rig = createRig();
    const peer = track(await startPeer());
    const outbox = rig.outbox(smtpTo(peer.port));
    const id = await rig.post(outbox);
    const { link } = await rig.get(id);
    expect(await outbox.deliverNow(id, patient)).toBe(true);
    const mail = await rig.get(id);
    // The link is a credential: once the mail has left, the store forgets it.
    expect(mail).toMatchObject({ link: null, message: { text: "", html: "" } });
    expect(mail).toMatchObject({ state: "sent", attempts: 1, next_at: null, last_error: null });
    expect(mail.sent_at).toBe("2026-11-21T12:00:00.000Z");
    expect(await outbox.backlog()).toEqual({ waiting: 0, oldest_created_at: null, last_error: null });
    const email = await parseMail(peer.accepted[0]);
    expect(email.messageId).toBe(`<${id}@shop.example>`);
    expect(email.text?.split("\n")).toContain(link);
    expect(email.html).toContain("Confirm address");
  });

  test("a delivered mail is not sent again, whoever asks", async () => {
    const rig = createRig();
    const peer = track(await startPeer());
    const outbox = rig.outbox(smtpTo(peer.port));
    const id = await rig.post(outbox);
    expect(await outbox.deliverNow(id, patient)).toBe(true);
    expect(await outbox.deliverNow(id, patient)).toBe(true);
    rig.advance(HOUR);
    await outbox.runDue({ limit: 10 });
    await rig.outbox(smtpTo(peer.port)).runDue({ limit: 10 });
    expect(peer.handedOver).toHaveLength(1);
  });

  test("a mail whose writer died before the first attempt is taken by the sweep", async () => {
    const rig = createRig();
    const peer = track(await startPeer());
    const outbox = rig.outbox(smtpTo(peer.port));
    const id = await rig.post(outbox);
    expect(await outbox.runDue({ limit: 10 })).toMatchObject({ sent: 0 });
    rig.advance(10 * SECOND);
    expect(await outbox.runDue({ limit: 10 })).toMatchObject({ sent: 1 });
    expect(await rig.get(id)).toMatchObject({ state: "sent" });
  });

  test("mail and its cause are one commit: a cause that fails leaves no mail", async () => {
    const rig = createRig();
    const outbox = rig.outbox(smtpTo(1));
    const mail = await outbox.compose({
      to: "ada@example.test",
      template: "test",
      data: { requested_at: "2026-11-21T12:00:00.000Z" },
    });
    const lost = await rig.store.commit(
      "platform",
      [{ put: "platform:customers:cus_1", value: "{}" }, ...mailOps(mail)],
      [{ key: "platform:customers:cus_1", version: 7 }],
    );
    expect(lost.ok).toBe(false);
    expect(await outbox.get(mail.id)).toBeNull();
    expect((await outbox.list({ limit: 10 })).items).toEqual([]);
    expect(await outbox.deliverNow(mail.id, patient)).toBe(false);
  });
});

describe("refusals", () => {
  test("550 is for good: not tried again, and the reason stays readable", async () => {
    const rig = createRig();
    let asked = 0;
    const peer = track(
      await startPeer({
        server: {
          onRcptTo(_address, _session, callback) {
            asked += 1;
            callback(toError({ code: 550, text: "5.1.1 no such user" }));
          },
        },
      }),
    );
    const outbox = rig.outbox(smtpTo(peer.port));
    const id = await rig.post(outbox);
    expect(await outbox.deliverNow(id, patient)).toBe(false);
    const mail = await rig.get(id);
    expect(mail).toMatchObject({ state: "failed", next_at: null, sent_at: null });
    expect(mail.last_error).toContain("550 5.1.1 no such user");
    rig.advance(23 * HOUR);
    await outbox.runDue({ limit: 10 });
    expect(asked).toBe(1);
    expect(await outbox.backlog()).toMatchObject({ waiting: 0 });
  });

  test("451, then success: one delivery, the same Message-ID", async () => {
    const rig = createRig();
    const peer = track(
      await startPeer({ answer: (index) => (index === 0 ? { code: 451, text: "4.7.1 greylisted" } : null) }),
    );
    const outbox = rig.outbox(smtpTo(peer.port));
    const id = await rig.post(outbox);
    expect(await outbox.deliverNow(id, patient)).toBe(false);
    expect(await rig.get(id)).toMatchObject({ state: "queued", attempts: 1 });
    expect((await outbox.backlog()).last_error).toContain("4.7.1 greylisted");
    rig.advance(5 * SECOND);
    expect(await outbox.runDue({ limit: 10 })).toMatchObject({ sent: 0 });
    rig.advance(MINUTE);
    expect(await outbox.runDue({ limit: 10 })).toMatchObject({ sent: 1 });
    const [first, second] = await Promise.all(peer.handedOver.map(parseMail));
    expect(second?.messageId).toBe(first?.messageId);
    expect(peer.accepted).toHaveLength(1);
  });

  test("wrong credentials lose nothing: after the mend the mail leaves", async () => {
    const rig = createRig();
    const peer = track(
      await startPeer({
        server: {
          allowInsecureAuth: true,
          onAuth: (auth, _session, callback) =>
            auth.password === "right"
              ? callback(null, { user: "api" })
              : callback(toError({ code: 535, text: "5.7.8 wrong credentials" })),
        },
      }),
    );
    const { createSmtpTransport } = await import("../../server/mail/transports/smtp.ts");
    const connect = (pass: string) =>
      createSmtpTransport({ host: "127.0.0.1", port: peer.port, user: "api", pass });
    const before = rig.outbox(connect("wrong"));
    const id = await rig.post(before);
    expect(await before.deliverNow(id, patient)).toBe(false);
    expect(await rig.get(id)).toMatchObject({ state: "queued" });
    rig.advance(MINUTE);
    expect(await rig.outbox(connect("right")).runDue({ limit: 10 })).toMatchObject({ sent: 1 });
  });
});

describe("a mail server that is away", () => {
  test("connection refused, and the server comes back: delivered exactly once, also across a restart", async () => {
    const rig = createRig();
    const port = await findClosedPort();
    const before = rig.outbox(smtpTo(port));
    const ids = [await rig.post(before, "ada@example.test"), await rig.post(before, "bob@example.test")];
    for (const id of ids) expect(await before.deliverNow(id, patient)).toBe(false);
    rig.advance(MINUTE);
    await before.runDue({ limit: 10 });
    await before.stop();

    const peer = track(await startPeer({ port }));
    const after = rig.outbox(smtpTo(port));
    expect(await after.backlog()).toMatchObject({ waiting: 2 });
    rig.advance(HOUR);
    expect(await after.runDue({ limit: 10 })).toMatchObject({ sent: 2 });
    rig.advance(HOUR);
    await after.runDue({ limit: 10 });
    expect(peer.handedOver.map(({ to }) => to[0]).toSorted(byText)).toEqual([
      "ada@example.test",
      "bob@example.test",
    ]);
    expect(await after.backlog()).toMatchObject({ waiting: 0 });
  });

  test("a server that never greets does not hold up the signup, nor lose the mail", async () => {
    const rig = createRig();
    const script = track(await startScript(() => undefined));
    const outbox = rig.outbox(smtpTo(script.port, { connectMs: 300 }));
    const id = await rig.post(outbox);
    expect(await outbox.deliverNow(id, { timeoutMs: 20 })).toBe(false);
    expect(await rig.get(id)).toMatchObject({ state: "sending" });
    await until(async () => (await rig.get(id)).state === "queued");
    expect((await rig.get(id)).last_error).toContain("ETIMEDOUT");
  });

  test("one sender's slow addresses hold up neither a signup nor the mail of others", async () => {
    const rig = createRig();
    const slow = gate();
    const sent: string[] = [];
    const outbox = rig.outbox({
      name: "smtp",
      send: async ({ id, to }) => {
        if (to.endsWith("@tarpit.test")) await slow.opened;
        sent.push(to);
        return { accepted: true, id };
      },
    });
    for (let count = 0; count < 120; count += 1) await rig.post(outbox, `user${count}@tarpit.test`);
    rig.advance(MINUTE);
    outbox.start();
    closers.push(() => outbox.stop());
    // The sweep has begun, and its slow attempts last.
    await until(async () =>
      (await outbox.list({ limit: 500 })).items.some(({ state }) => state === "sending"),
    );
    const id = await rig.post(outbox, "signup@example.test");
    expect(await outbox.deliverNow(id, { timeoutMs: 2_000 })).toBe(true);
    await rig.post(outbox, "guest@shop.test");
    rig.advance(20 * SECOND);
    await until(() => sent.includes("guest@shop.test"));
    expect(sent).toEqual(["signup@example.test", "guest@shop.test"]);
    slow.open();
  }, 30_000);

  test("slow addresses of several senders hold up the mail of no other behind them", async () => {
    const rig = createRig();
    const slow = gate();
    const sent: string[] = [];
    const outbox = rig.outbox({
      name: "smtp",
      send: async ({ id, to }) => {
        if (to.endsWith("@tarpit.test")) await slow.opened;
        sent.push(to);
        return { accepted: true, id };
      },
    });
    const data = { requested_at: "2026-11-21T12:00:00.000Z" };
    const post = async (part: string, to: string): Promise<void> => {
      const mail = await outbox.compose({ to, template: "test", data });
      await rig.store.commit("platform", mailOps({ ...mail, part }));
    };
    for (let count = 0; count < 520; count += 1) await post(`sto_${count % 2}`, `user${count}@tarpit.test`);
    rig.advance(SECOND);
    await post("sto_shop", "guest@shop.test");
    rig.advance(MINUTE);
    outbox.start();
    closers.push(() => outbox.stop());
    await until(() => sent.includes("guest@shop.test"));
    slow.open();
  }, 50_000);

  test("a long queue of one sender takes no longer at its beginning", async () => {
    const rig = createRig();
    const sent: string[] = [];
    const outbox = rig.outbox({
      name: "smtp",
      send: async ({ id, to }) => {
        sent.push(to);
        return { accepted: true, id };
      },
    });
    const data = { requested_at: "2026-11-21T12:00:00.000Z" };
    for (let count = 0; count < 1_500; count += 1) {
      const mail = await outbox.compose({ to: `user${count}@shop.test`, template: "test", data });
      await rig.store.commit("platform", mailOps({ ...mail, part: "sto_shop" }));
    }
    rig.advance(MINUTE);
    const looks: number[] = [];
    while (looks.length < 10) looks.push((await outbox.runDue({ limit: 100 })).sent);
    expect(looks).toEqual(looks.map(() => 60));
    expect(new Set(sent).size).toBe(600);
  }, 60_000);

  test("a long queue is not burnt through while nobody answers", async () => {
    const rig = createRig();
    const port = await findClosedPort();
    const outbox = rig.outbox(smtpTo(port));
    for (let count = 0; count < 30; count += 1) await rig.post(outbox, `user${count}@example.test`);
    rig.advance(MINUTE);
    const counts = await outbox.runDue({ limit: 100 });
    expect(counts.unreachable).toBeGreaterThan(0);
    expect(counts.unreachable).toBeLessThanOrEqual(5);
    const peer = track(await startPeer({ port }));
    rig.advance(MINUTE);
    expect(await outbox.runDue({ limit: 100 })).toMatchObject({ sent: 30, unreachable: 0 });
    expect(new Set(peer.accepted.map(({ to }) => to[0])).size).toBe(30);
    expect(peer.handedOver).toHaveLength(30);
  });

  test("a link that expired meanwhile is no longer sent", async () => {
    const rig = createRig();
    const port = await findClosedPort();
    const outbox = rig.outbox(smtpTo(port));
    const id = await rig.post(outbox);
    await outbox.deliverNow(id, patient);
    const peer = track(await startPeer({ port }));
    rig.advance(DAY);
    expect(await outbox.runDue({ limit: 10 })).toMatchObject({ sent: 0, dead: 1 });
    const mail = await rig.get(id);
    expect(mail).toMatchObject({ state: "dead", next_at: null });
    expect(mail.last_error).toContain("ECONNREFUSED");
    expect(peer.handedOver).toHaveLength(0);
  });
});

describe("slow and lost answers", () => {
  test("a slow answer: false for now, true in the end, sent once", async () => {
    const rig = createRig();
    const { opened, open } = gate();
    const peer = track(await startPeer({ answer: () => opened }));
    const outbox = rig.outbox(smtpTo(peer.port));
    const id = await rig.post(outbox);
    expect(await outbox.deliverNow(id, { timeoutMs: 20 })).toBe(false);
    await until(() => peer.handedOver.length === 1);
    rig.advance(30 * SECOND);
    await rig.outbox(smtpTo(peer.port)).runDue({ limit: 10 });
    open();
    await until(async () => (await rig.get(id)).state === "sent");
    expect(await outbox.deliverNow(id, patient)).toBe(true);
    expect(peer.handedOver).toHaveLength(1);
  });

  test("an answer that never comes: false, then sent again under the same Message-ID", async () => {
    const rig = createRig();
    const script = track(await startScript(acceptUntilEnd((socket) => socket.destroy())));
    const outbox = rig.outbox(smtpTo(script.port));
    const id = await rig.post(outbox);
    expect(await outbox.deliverNow(id, patient)).toBe(false);
    expect(await rig.get(id)).toMatchObject({ state: "queued", sent_at: null });
    expect((await rig.get(id)).last_error).toContain("was transmitted");
    const peer = track(await startPeer());
    rig.advance(MINUTE);
    expect(await rig.outbox(smtpTo(peer.port)).runDue({ limit: 10 })).toMatchObject({ sent: 1 });
    expect((await parseMail(peer.accepted[0])).messageId).toBe((await rig.get(id)).message.message_id);
  });
});

describe("several workers", () => {
  test("two at once on the same mail: one delivery", async () => {
    const rig = createRig();
    const peer = track(await startPeer());
    const workers = [rig.outbox(smtpTo(peer.port)), rig.outbox(smtpTo(peer.port))];
    const ids: string[] = [];
    for (let count = 0; count < 12; count += 1) ids.push(await rig.post(rig.outbox(smtpTo(peer.port))));
    rig.advance(MINUTE);
    const counts = await Promise.all(workers.map((worker) => worker.runDue({ limit: 100 })));
    expect((counts[0]?.sent ?? 0) + (counts[1]?.sent ?? 0)).toBe(12);
    expect(peer.handedOver).toHaveLength(12);
    for (const id of ids) expect(await rig.get(id)).toMatchObject({ state: "sent", attempts: 1 });
  });

  test("two callers in one process share one attempt", async () => {
    const rig = createRig();
    const peer = track(await startPeer());
    const outbox = rig.outbox(smtpTo(peer.port));
    const id = await rig.post(outbox);
    expect(await Promise.all([outbox.deliverNow(id, patient), outbox.deliverNow(id, patient)])).toEqual([
      true,
      true,
    ]);
    expect(peer.handedOver).toHaveLength(1);
  });

  test("a worker that died is replaced when its claim ends, not before", async () => {
    const rig = createRig();
    const peer = track(await startPeer());
    const hanging: MailTransport = { name: "smtp", send: () => new Promise(() => undefined) };
    const dying = rig.outbox(hanging, { leaseMs: 60 * SECOND });
    const id = await rig.post(dying);
    expect(await dying.deliverNow(id, { timeoutMs: 10 })).toBe(false);
    const heir = rig.outbox(smtpTo(peer.port));
    rig.advance(59 * SECOND);
    expect(await heir.runDue({ limit: 10 })).toMatchObject({ sent: 0 });
    rig.advance(SECOND);
    expect(await heir.runDue({ limit: 10 })).toMatchObject({ sent: 1 });
    expect(peer.handedOver).toHaveLength(1);
  });

  test("a claim is renewed for as long as its attempt runs", async () => {
    const rig = createRig();
    const { opened, open } = gate();
    const peer = track(await startPeer({ answer: () => opened }));
    const leaseMs = 30;
    const slow = rig.outbox(smtpTo(peer.port), { leaseMs });
    const other = rig.outbox(smtpTo(peer.port));
    const id = await rig.post(slow);
    const attempt = slow.deliverNow(id, patient);
    await until(() => peer.handedOver.length === 1);
    for (let round = 0; round < 10; round += 1) {
      rig.advance(leaseMs - 1);
      const now = rig.clock.now();
      // The renewal runs on a real timer; once it has written, the claim ends a whole lease from now.
      await until(async () => Date.parse((await rig.get(id)).next_at ?? "") === now + leaseMs);
      expect(await other.runDue({ limit: 10 })).toMatchObject({ sent: 0 });
    }
    open();
    expect(await attempt).toBe(true);
    expect(peer.handedOver).toHaveLength(1);
    expect(await rig.get(id)).toMatchObject({ state: "sent", attempts: 1 });
  });

  test("a worker that lost its claim breaks off and leaves the mail to its heir", async () => {
    const rig = createRig();
    const peer = track(await startPeer());
    const { opened, open } = gate();
    let broken = false;
    const stuck: MailTransport = {
      name: "smtp",
      send: (_mail, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            broken = true;
            reject(new Error("stopped"));
          });
        }),
    };
    // After the claim, the loser's writes are held up until the heir has sent the mail.
    let commits = 0;
    const slowStore: StoreDriver = {
      ...rig.store,
      async commit(part, ops, checks) {
        commits += 1;
        if (commits > 1) await opened;
        return rig.store.commit(part, ops, checks);
      },
    };
    const loser = rig.outbox(stuck, { leaseMs: 30, store: slowStore });
    const id = await rig.post(loser);
    const attempt = loser.deliverNow(id, patient);
    await until(() => commits > 1);
    rig.advance(MINUTE);
    expect(await rig.outbox(smtpTo(peer.port)).runDue({ limit: 10 })).toMatchObject({ sent: 1 });
    open();
    expect(await attempt).toBe(true);
    expect(broken).toBe(true);
    expect(await rig.get(id)).toMatchObject({ state: "sent", attempts: 2 });
    expect(peer.handedOver).toHaveLength(1);
  });
});

describe("a store in trouble", () => {
  /** Fails commits while `broken` says so. */
  function breakable(): { rig: Rig; state: { broken: boolean } } {
    const state = { broken: false };
    const wrap = (store: StoreDriver): StoreDriver => ({
      ...store,
      commit: (part, ops, checks) =>
        state.broken
          ? Promise.reject(new StoreError("FULL", "no space left"))
          : store.commit(part, ops, checks),
    });
    return { rig: createRig(wrap), state };
  }

  test("the server took the mail and the store could not record it: true, and not sent again", async () => {
    const { rig, state } = breakable();
    const peer = track(
      await startPeer({
        answer: () => {
          state.broken = true;
          return null;
        },
      }),
    );
    const outbox = rig.outbox(smtpTo(peer.port));
    const id = await rig.post(outbox);
    expect(await outbox.deliverNow(id, patient)).toBe(true);
    expect(await rig.get(id)).toMatchObject({ state: "sending" });
    state.broken = false;
    rig.advance(5 * MINUTE);
    expect(await outbox.runDue({ limit: 10 })).toMatchObject({ sent: 1 });
    expect(await rig.get(id)).toMatchObject({ state: "sent" });
    expect(peer.handedOver).toHaveLength(1);
  });

  test("without a claim nothing is sent, and deliverNow does not throw", async () => {
    const { rig, state } = breakable();
    const peer = track(await startPeer());
    const outbox = rig.outbox(smtpTo(peer.port));
    const id = await rig.post(outbox);
    state.broken = true;
    expect(await outbox.deliverNow(id, patient)).toBe(false);
    expect(peer.connections()).toBe(0);
    state.broken = false;
    expect(await outbox.deliverNow(id, patient)).toBe(true);
  });
});

describe("start and stop", () => {
  test("stop waits for a running attempt", async () => {
    const rig = createRig();
    const { opened, open } = gate();
    const peer = track(await startPeer({ answer: () => opened }));
    const outbox = rig.outbox(smtpTo(peer.port));
    const id = await rig.post(outbox);
    const attempt = outbox.deliverNow(id, patient);
    await until(() => peer.handedOver.length === 1);
    const stopped = outbox.stop();
    open();
    await stopped;
    expect(await attempt).toBe(true);
    expect(await rig.get(id)).toMatchObject({ state: "sent" });
  });

  test("after its grace, stop cuts an attempt short and leaves the mail queued", async () => {
    const rig = createRig();
    const script = track(await startScript(() => undefined));
    const outbox = rig.outbox(smtpTo(script.port));
    const id = await rig.post(outbox);
    const attempt = outbox.deliverNow(id, patient);
    await until(async () => (await rig.get(id)).state === "sending");
    await outbox.stop({ graceMs: 1 });
    expect(await attempt).toBe(false);
    expect(await rig.get(id)).toMatchObject({ state: "queued" });
    expect(await outbox.deliverNow(id, patient)).toBe(false);
  });

  test("started, it sweeps by itself", async () => {
    const rig = createRig();
    const peer = track(await startPeer());
    const outbox = rig.outbox(smtpTo(peer.port));
    const id = await rig.post(outbox);
    rig.advance(MINUTE);
    outbox.start();
    await until(async () => (await rig.get(id)).state === "sent");
    await outbox.stop();
    expect(peer.handedOver).toHaveLength(1);
  });
});

describe("what is kept", () => {
  test("lists newest first, page by page, and by address in any spelling", async () => {
    const rig = createRig();
    const outbox = rig.outbox(smtpTo(1));
    const ids: string[] = [];
    for (const to of ["Ada@Example.test", "bob@example.test", "ada@example.test"]) {
      ids.push(await rig.post(outbox, to));
      rig.advance(SECOND);
    }
    const first = await outbox.list({ limit: 2 });
    const second = await outbox.list({ limit: 2, after: first.next ?? undefined });
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids.toReversed());
    expect(second.next).toBeNull();
    const toAda = await outbox.listTo(" ADA@example.test ", { limit: 10 });
    expect(toAda.items.map(({ id }) => id)).toEqual([ids[2], ids[0]]);
  });

  test("findLink: the newest link that still works, whether its mail left or not", async () => {
    const rig = createRig();
    const outbox = rig.outbox(smtpTo(1));
    await rig.post(outbox);
    rig.advance(HOUR);
    const newest = await rig.post(outbox);
    const { link } = await rig.get(newest);
    expect(link).not.toBeNull();
    expect(await outbox.findLink("ada@example.test", rig.clock.now())).toBe(link);
    expect(await outbox.findLink("nobody@example.test", rig.clock.now())).toBeNull();
    rig.advance(DAY);
    expect(await outbox.findLink("ada@example.test", rig.clock.now())).toBeNull();
  });

  test("no address lies in a key", async () => {
    const rig = createRig();
    await rig.post(rig.outbox(smtpTo(1)));
    for (const { name } of await rig.store.collections("platform")) {
      const page = await rig.store.page("platform", name, { limit: 10 });
      for (const { key } of page.items) expect(key.toLowerCase()).not.toContain("ada");
    }
  });

  test("forget deletes every mail to an address and nothing else", async () => {
    const rig = createRig();
    const outbox = rig.outbox(smtpTo(1));
    for (let count = 0; count < 45; count += 1) await rig.post(outbox);
    const other = await rig.post(outbox, "bob@example.test");
    expect(await outbox.forget("ADA@example.test")).toBe(45);
    expect((await outbox.list({ limit: 100 })).items.map(({ id }) => id)).toEqual([other]);
    expect(await outbox.backlog()).toMatchObject({ waiting: 1 });
  });

  test("a finished mail is deleted when its time is up, with all its entries", async () => {
    const rig = createRig();
    const peer = track(await startPeer());
    const outbox = rig.outbox(smtpTo(peer.port));
    const id = await rig.post(outbox);
    await outbox.deliverNow(id, patient);
    rig.advance(7 * DAY - 1);
    await outbox.runDue({ limit: 10 });
    expect(await outbox.get(id)).not.toBeNull();
    rig.advance(1);
    await outbox.runDue({ limit: 10 });
    expect(await outbox.get(id)).toBeNull();
    const left = (await rig.store.collections("platform")).filter(({ count }) => count > 0);
    expect(left).toEqual([]);
  });
});

describe("header safety", () => {
  const compose = (to: string) =>
    createRig()
      .outbox(smtpTo(1))
      .compose({ to, template: "test", data: { requested_at: "2026-11-21T12:00:00.000Z" } });

  test.each([
    "ada@example.test\r\nBcc: eve@example.test",
    "ada@example.test\nX: y",
    "ada@example.test\0",
    "ada@example.test, eve@example.test",
    "ada@example.test;eve@example.test",
    "ada@eve@example.test",
    "Ada <ada@example.test>",
    '"ada@x"@example.test',
    "ada@[127.0.0.1]",
    "ada example@test",
    "ada@",
    "@example.test",
    "",
    "group: ada@example.test;",
    `${"a".repeat(65)}@example.test`,
    `ada@${"e".repeat(251)}`,
  ])("%j is not an address to send to", async (to) => {
    await expect(compose(to)).rejects.toThrow("exactly one plain mail address");
  });

  test.each([
    "ada@example.test",
    "a.b+c_d@sub.example.test",
    "o'neil@example.test",
    `ada@${"e".repeat(250)}`,
  ])("%s is one", async (to) => {
    expect((await compose(to)).message.to).toBe(to);
  });

  test("a 1 MB address is refused in no time", async () => {
    await expect(compose(`${"a@".repeat(500_000)}b`)).rejects.toThrow("exactly one plain mail address");
  });

  test.each(["", "no address", "A <a@x.test>, B <b@x.test>", "A <a@x.test>\r\nBcc: c@x.test"])(
    "the sender %j is refused at start",
    (from) => {
      expect(() => createRig().outbox(smtpTo(1), { from })).toThrow("mail.from");
    },
  );
});

test("waits grow from seconds to an hour, spread by a fifth", () => {
  const waits = Array.from({ length: 12 }, (_, index) => waitAfter(index + 1, 0.5));
  expect(waits.slice(0, 4)).toEqual([15 * SECOND, 30 * SECOND, MINUTE, 2 * MINUTE]);
  expect(waits.slice(-2)).toEqual([HOUR, HOUR]);
  expect([waitAfter(3, 0), waitAfter(3, 0.999_999)]).toEqual([48 * SECOND, 72 * SECOND]);
});

test("random refusals and outages, two workers, restarts: every mail arrives exactly once", async () => {
  const seed = testSeed();
  const random = createSeededRandom(seed);
  const rig = createRig();
  const port = await findClosedPort();
  // Only faults whose meaning is certain: after a lost answer a second copy is allowed.
  const answer = () => (random.next() < 0.4 ? { code: 451, text: "try again" } : null);
  const server = {
    onRcptTo: (_address: unknown, _session: unknown, callback: (error?: Error) => void) =>
      random.next() < 0.2 ? callback(toError({ code: 450, text: "busy" })) : callback(),
  };
  const ids: string[] = [];
  const taken: string[] = [];
  for (let round = 0; round < 12; round += 1) {
    // The clock leaps while attempts run; a claim that ended by that would be a fault of the test.
    const worker = () => rig.outbox(smtpTo(port), { leaseMs: DAY });
    const [one, other] = [worker(), worker()];
    const peer = random.next() < 0.3 ? null : await startPeer({ port, answer, server });
    for (let count = 0; count < 4; count += 1) {
      const id = await rig.post(one, `user${ids.length}@example.test`);
      ids.push(id);
      if (random.next() < 0.5) void other.deliverNow(id, { timeoutMs: 5 });
    }
    rig.advance(2 * MINUTE);
    await Promise.all([one.runDue({ limit: 100 }), other.runDue({ limit: 100 })]);
    await Promise.all([one.stop(), other.stop()]);
    taken.push(...(peer?.accepted ?? []).map(({ to }) => to[0] ?? ""));
    await peer?.close();
  }
  const peer = track(await startPeer({ port }));
  rig.advance(2 * HOUR);
  await rig.outbox(smtpTo(port)).runDue({ limit: 100 });
  taken.push(...peer.accepted.map(({ to }) => to[0] ?? ""));
  const expected = ids.map((_, index) => `user${index}@example.test`).toSorted(byText);
  expect(taken.toSorted(byText), `TEST_SEED=${seed}`).toEqual(expected);
  for (const id of ids) expect(await rig.get(id), `TEST_SEED=${seed}`).toMatchObject({ state: "sent" });
}, 60_000);
