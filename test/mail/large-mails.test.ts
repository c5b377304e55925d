import { expect, it } from "vitest";

import type { Outbox } from "../../server/mail/outbox.ts";
import { mailOps } from "../../server/mail/record.ts";
import { MailError } from "../../server/mail/transport.ts";
import { longestOf, TURN_MS } from "../support/longest-turn.ts";
import { createRig, MINUTE } from "./rig.ts";
import type { Rig } from "./rig.ts";

const MAILS = 120;
/** With what is around them, about as long as a stored document may be. */
const TEXT = '"Rye"\n'.repeat(25_000);

interface LargeMails {
  readonly rig: Rig;
  readonly outbox: Outbox;
  readonly sent: readonly string[];
  connect(): void;
}

/** Large mails of one store and, behind them, one of somebody else; all are due, and the mail server is away. */
async function postLarge(): Promise<LargeMails> {
  const rig = createRig();
  const sent: string[] = [];
  let isAway = true;
  const outbox = rig.outbox({
    name: "smtp",
    async send({ id, to }) {
      if (isAway) throw new MailError("unreachable", "The mail server cannot be reached.");
      sent.push(to);
      return { accepted: true, id };
    },
  });
  for (let n = 0; n < MAILS; n += 1) {
    const mail = await rig.get(await rig.post(outbox, `ada${n}@example.test`));
    const large = { ...mail, part: "sto_large", message: { ...mail.message, text: TEXT } };
    await rig.store.commit("platform", mailOps(large));
  }
  rig.advance(1);
  await rig.post(outbox, "ben@example.test");
  rig.advance(MINUTE);
  return { rig, outbox, sent, connect: () => void (isAway = false) };
}

it("looks through large mails that are due in short turns", async () => {
  const { outbox, rig } = await postLarge();
  const longest = await longestOf(
    () => rig.advance(60 * MINUTE),
    async () => {
      const { unreachable } = await outbox.runDue({ limit: 100 });
      expect(unreachable).toBeGreaterThan(0);
    },
  );
  expect(longest).toBeLessThan(TURN_MS);
});

it("finds the mail of others behind large ones", async () => {
  const { connect, outbox, sent } = await postLarge();
  connect();
  await outbox.runDue({ limit: 100 });
  expect(sent).toContain("ben@example.test");
  expect(sent).toHaveLength(61);
});

it("shows the backlog and lists of large mails in short turns", async () => {
  const rig = createRig();
  const outbox = rig.outbox({ name: "smtp", send: ({ id }) => Promise.resolve({ accepted: true, id }) });
  for (let n = 0; n < MAILS; n += 1) {
    const mail = await rig.get(await rig.post(outbox, `ada${n}@example.test`));
    await rig.store.commit("platform", mailOps({ ...mail, message: { ...mail.message, text: TEXT } }));
  }
  const read = async (): Promise<void> => {
    expect((await outbox.backlog()).waiting).toBe(MAILS);
    expect((await outbox.list({ limit: 100 })).items).toHaveLength(100);
  };
  expect(await longestOf(() => undefined, read)).toBeLessThan(TURN_MS);
});
