import type { ScheduledJob } from "../core/engine.ts";
import { toInstant } from "../lib/instant.ts";
import type { JobContext } from "../core/engine.ts";
import { derivedId } from "../core/ids.ts";
import { mailDueAt, storeMails } from "../core/store-mail.ts";
import type { Ports } from "../core/ports.ts";
import type { StoreMail } from "../core/store-mail.ts";
import { isTestPart } from "../core/test-clock.ts";
import type { Stored } from "../core/tx.ts";
import { watch } from "../core/watch.ts";
import type { StoreDriver } from "../storage/contract.ts";
import { choicesUrl } from "./choices.ts";
import type { Outbox } from "./outbox.ts";
import { judgeMail } from "./reach.ts";
import type { MailOwner, ReachDeps } from "./reach.ts";
import { MAIL_PART, mailKey, mailOps } from "./record.ts";
import type { MailRecord } from "./record.ts";
import { isMailName } from "./render.ts";

const BATCH = 50;
/** A mail that a budget kept back for so long is dropped: it is about something that is over. */
const GIVE_UP_MS = 7 * 86_400_000;
const KEEP_TEST_MS = 7 * 86_400_000;

export interface ForwardDeps {
  readonly store: Pick<StoreDriver, "commit">;
  readonly mail: Pick<Outbox, "compose">;
  readonly secret: Uint8Array;
  readonly reach: ReachDeps;
  readonly ports: Pick<Ports, "sign" | "baseUrl">;
}

/**
 * Moves the mails of engines from the stores' partitions into the outbox: written there under an id that follows from
 * the engine's record, then removed here. A crash between the two repeats the first half, which then finds it done.
 */
export const createForwardMails = (deps: ForwardDeps): ScheduledJob => ({
  id: "mail.forward",
  summary: "Moves the mail created by engines to the outbox",
  schedule: "*/5 * * * * *",
  watches: [
    watch(storeMails, {
      index: "waiting",
      due: (storeMail, part) =>
        isTestPart(part) ? toInstant(Date.parse(storeMail.created_at) + KEEP_TEST_MS) : mailDueAt(storeMail),
    }),
  ],
  on: "stores",
  async run(work) {
    const { items } = await work.runTx(work.part, (tx) =>
      tx.peekPage(storeMails, { index: "waiting", limit: BATCH }),
    );
    const counts = { forwarded: 0, failed: 0, dropped: 0, stopped: 0, kept: 0 };
    if (isTestPart(work.part)) return { ...counts, dropped: await dropOld(work, items) };
    const owner = await deps.reach.findOwner(work.part);
    for (const { value } of items) {
      if (mailDueAt(value) > work.nowAt || !work.hasTime()) break;
      counts[await forwardOne(deps, work, owner, value)] += 1;
    }
    return counts;
  },
});

/** Sends, drops or keeps back one mail. */
async function forwardOne(
  deps: ForwardDeps,
  work: JobContext,
  owner: MailOwner | null,
  storeMail: StoreMail,
): Promise<"forwarded" | "failed" | "dropped" | "stopped" | "kept"> {
  const { part } = work;
  const isOver = Date.parse(storeMail.created_at) + GIVE_UP_MS <= work.now;
  // A removed store sends no more mail.
  if (owner === null || isOver) {
    await finish(work, storeMail.id, "sent");
    return "dropped";
  }
  const mail = await compose(deps, work, owner, storeMail);
  if (mail === null) {
    await finish(work, storeMail.id, "failed");
    return "failed";
  }
  const verdict = await judgeMail(deps.reach, owner, { part, to: storeMail.to });
  if (verdict.kind === "later") {
    await postpone(work, storeMail.id, verdict.dueAt);
    return "kept";
  }
  if (verdict.kind === "send") {
    // A conflict says that the mail is in the outbox, or was until lately: either way it must not be sent again.
    const about = storeMail.about === undefined ? {} : { about: storeMail.about };
    await deps.store.commit(MAIL_PART, mailOps({ ...mail, ...about, part }), [
      { key: mailKey(mail.id), version: 0 },
    ]);
  }
  await finish(work, storeMail.id, "sent");
  return verdict.kind === "send" ? "forwarded" : "stopped";
}

async function compose(
  deps: ForwardDeps,
  { log, part }: JobContext,
  owner: MailOwner,
  storeMail: StoreMail,
): Promise<MailRecord | null> {
  const { to, template, data } = storeMail;
  try {
    if (!isMailName(template)) throw new TypeError(`Unknown mail template ${template}.`);
    const id = derivedId("mail", deps.secret, [part, storeMail.id]);
    // The template's own schema checks the data.
    const sender = { store: owner.store, choicesUrl: choicesUrl(deps.ports, part, to) };
    return await deps.mail.compose({ id, to, template, data: data as never, sender });
  } catch (err) {
    log.error({ err, storeMail: storeMail.id, part }, "failed to forward a mail to the outbox");
    return null;
  }
}

const finish = (work: JobContext, id: string, result: "sent" | "failed"): Promise<void> =>
  work.runTx(work.part, async (tx) => {
    const storeMail = await tx.get(storeMails, id);
    if (storeMail === null) return;
    if (result === "failed") tx.put(storeMails, storeMail, { ...storeMail.value, state: "failed" });
    else tx.remove(storeMails, storeMail);
  });

const postpone = (work: JobContext, id: string, dueAt: string): Promise<void> =>
  work.runTx(work.part, async (tx) => {
    const storeMail = await tx.get(storeMails, id);
    if (storeMail !== null) tx.put(storeMails, storeMail, { ...storeMail.value, due_at: dueAt });
  });

/** Mails among test data can be looked at for a week of their own time. */
async function dropOld(work: JobContext, items: readonly Stored<StoreMail>[]): Promise<number> {
  const old = items.filter(({ value }) => Date.parse(value.created_at) + KEEP_TEST_MS <= work.now);
  for (const { id } of old) await finish(work, id, "sent");
  return old.length;
}
