import type { Clock } from "../core/clock.ts";
import type { ScheduledJob } from "../core/engine.ts";
import { toInstant } from "../lib/instant.ts";
import { giveWay } from "../lib/slices.ts";
import type { JobContext } from "../core/engine.ts";
import { toText } from "../core/collection.ts";
import { derivedId } from "../core/ids.ts";
import { mailDueAt, storeMails } from "../core/store-mail.ts";
import type { Ports } from "../core/ports.ts";
import { shareCommits } from "../core/share-commits.ts";
import { readShop } from "../core/shop.ts";
import type { Shop } from "../core/shop.ts";
import { requireDocFits } from "../core/staging.ts";
import type { StoreMail } from "../core/store-mail.ts";
import { isTestPart } from "../core/test-clock.ts";
import type { Stored } from "../core/tx.ts";
import { watch } from "../core/watch.ts";
import type { StoreDriver } from "../storage/contract.ts";
import { choicesUrl } from "./choices.ts";
import type { Outbox } from "./outbox.ts";
import { judgeMail } from "./reach.ts";
import type { MailOwner, ReachDeps } from "./reach.ts";
import { MAIL_PART, mailCollection, mailKey, mailOps } from "./record.ts";
import type { MailRecord } from "./record.ts";

/** Who sends the mail of a store, and how the store looks and speaks. */
interface Sender extends MailOwner {
  readonly shop: Shop | null;
}

const BATCH = 50;
/** Mails that are written side by side: a crash takes so many from the budgets twice. */
const AT_ONCE = 10;
/** A mail that a budget kept back for so long is dropped: it is about something that is over. */
const GIVE_UP_MS = 7 * 86_400_000;
/** Mails of test data that a store keeps, newest first. */
const TEST_MAILS_MAX = 500;
const COPY_KEPT_MS = 7 * 86_400_000;

export interface ForwardDeps {
  readonly store: Pick<StoreDriver, "commit">;
  readonly mail: Pick<Outbox, "compose">;
  readonly secret: Uint8Array;
  readonly reach: ReachDeps;
  readonly ports: Pick<Ports, "sign" | "baseUrl">;
  readonly clock: Clock;
  /** The operator has an inbox, which shows mails of test data too. */
  readonly hasInbox: boolean;
}

/**
 * Moves the mails of engines from the stores' partitions into the outbox: written there under an id that follows from
 * the engine's record, then removed here. A crash between the two repeats the first half, which then finds it done.
 */
export const createForwardMails = (deps: ForwardDeps): ScheduledJob => ({
  id: "mail.forward",
  summary: "Moves the mail created by engines to the outbox",
  schedule: "*/5 * * * * *",
  watches: [watch(storeMails, { index: "waiting", due: mailDueAt })],
  on: "stores",
  async run(work) {
    const { items } = await work.runTx(work.part, (tx) =>
      tx.peekPage(storeMails, { index: "waiting", limit: BATCH }),
    );
    const counts = { forwarded: 0, failed: 0, dropped: 0, stopped: 0, kept: 0 };
    const found = await deps.reach.findOwner(work.part);
    const shop = items.length === 0 ? null : await work.runTx(work.part, readShop);
    const owner = found === null ? null : { ...found, shop };
    if (isTestPart(work.part)) return { ...counts, ...(await keepTestMails(deps, work, owner, items)) };
    const shared = { ...work, runTx: shareCommits(work.runTx, work.part) };
    const due = await dueOf(work, items);
    for (let at = 0; at < due.length && work.hasTime(); at += AT_ONCE) {
      const steps: (() => Promise<Result>)[] = [];
      // One after the other, as budgets are counted; what is written is written side by side.
      for (const value of due.slice(at, at + AT_ONCE)) {
        await giveWay(work.part);
        steps.push(await forwardOne(deps, shared, owner, value));
      }
      for (const result of await Promise.allSettled(steps.map((step) => step()))) {
        if (result.status === "rejected") throw result.reason;
        counts[result.value] += 1;
      }
    }
    return counts;
  },
});

/** With pauses: a mail is parsed when it is first looked at. */
async function dueOf(
  { nowAt, part }: JobContext,
  items: readonly Stored<StoreMail>[],
): Promise<readonly StoreMail[]> {
  const due: StoreMail[] = [];
  for (const stored of items) {
    await giveWay(part);
    if (mailDueAt(stored.value) <= nowAt) due.push(stored.value);
  }
  return due;
}

type Result = "forwarded" | "failed" | "dropped" | "stopped" | "kept";

/** Decides whether one mail is sent, dropped or kept back; what it resolves to writes that. */
async function forwardOne(
  deps: ForwardDeps,
  work: JobContext,
  owner: Sender | null,
  storeMail: StoreMail,
): Promise<() => Promise<Result>> {
  const { part } = work;
  const finished = (result: Result, state: "sent" | "failed") => async (): Promise<Result> => {
    await finish(work, storeMail.id, state);
    return result;
  };
  const isOver = Date.parse(storeMail.created_at) + GIVE_UP_MS <= work.now;
  // A removed store sends no more mail.
  if (owner === null || isOver) return finished("dropped", "sent");
  const mail = await compose(deps, work, owner, storeMail);
  if (mail === null) return finished("failed", "failed");
  const verdict = await judgeMail(deps.reach, owner, { part, mail: storeMail });
  if (verdict.kind === "stopped") return finished("stopped", "sent");
  return async () => {
    if (verdict.kind === "later") {
      await postpone(work, storeMail.id, verdict.dueAt);
      return "kept";
    }
    // A conflict says that the mail is in the outbox, or was until lately: either way it must not be sent again.
    await deps.store.commit(MAIL_PART, mailOps({ ...mail, ...aboutOf(storeMail), part }), [
      { key: mailKey(mail.id), version: 0 },
    ]);
    return finished("forwarded", "sent")();
  };
}

const aboutOf = ({ about }: StoreMail): Pick<StoreMail, "about"> => (about === undefined ? {} : { about });

async function compose(
  deps: ForwardDeps,
  { log, part }: JobContext,
  owner: Sender,
  storeMail: StoreMail,
): Promise<MailRecord | null> {
  try {
    const id = derivedId("mail", deps.secret, [part, storeMail.id]);
    const about = { id, part, store: owner.store, shop: owner.shop };
    const mail = await composeStoreMail(deps, about, storeMail);
    // No commit takes one that is larger, and all that follow would wait for it.
    requireDocFits(Buffer.byteLength(toText(mailCollection, { ...mail, ...aboutOf(storeMail), part })));
    return mail;
  } catch (err) {
    log.error({ err, storeMail: storeMail.id, part }, "failed to forward a mail to the outbox");
    return null;
  }
}

/** Renders the mail of an engine. Throws what `Outbox.compose` throws, and a TypeError on an unknown template. */
export async function composeStoreMail(
  { mail, ports }: Pick<ForwardDeps, "mail" | "ports">,
  about: { readonly id: string; readonly part: string; readonly store: string; readonly shop: Shop | null },
  { to, template, data, locale }: StoreMail,
): Promise<MailRecord> {
  const { isMailName } = await import("./render.ts");
  if (!isMailName(template)) throw new TypeError(`Unknown mail template ${template}.`);
  const sender = {
    store: about.store,
    choicesUrl: choicesUrl(ports, about.part, to),
    shop: about.shop,
  };
  // The template's own schema checks the data.
  return mail.compose({
    id: about.id,
    to,
    template,
    data: data as never,
    sender,
    locale: locale ?? about.shop?.locale ?? null,
  });
}

const finish = (work: JobContext, id: string, result: "sent" | "failed" | "kept"): Promise<void> =>
  work.runTx(work.part, async (tx) => {
    const storeMail = await tx.get(storeMails, id);
    if (storeMail === null) return;
    if (result === "sent") tx.remove(storeMails, storeMail);
    else tx.put(storeMails, storeMail, { ...storeMail.value, state: result });
  });

const postpone = (work: JobContext, id: string, dueAt: string): Promise<void> =>
  work.runTx(work.part, async (tx) => {
    const storeMail = await tx.get(storeMails, id);
    if (storeMail !== null) tx.put(storeMails, storeMail, { ...storeMail.value, due_at: dueAt });
  });

/** Mails of test data are not sent: the newest are kept, with a copy in the operator's inbox. */
async function keepTestMails(
  deps: ForwardDeps,
  work: JobContext,
  owner: Sender | null,
  items: readonly Stored<StoreMail>[],
): Promise<{ readonly kept: number; readonly failed: number; readonly dropped: number }> {
  let failed = 0;
  for (const stored of items) {
    await giveWay(work.part);
    const { value } = stored;
    const mail = owner === null ? null : await compose(deps, work, owner, value);
    if (mail !== null && deps.hasInbox) await copyToInbox(deps, { ...mail, part: work.part });
    if (mail === null) failed += 1;
    await finish(work, value.id, mail === null ? "failed" : "kept");
  }
  return { kept: items.length - failed, failed, dropped: items.length === 0 ? 0 : await dropOldest(work) };
}

async function copyToInbox({ store, clock }: ForwardDeps, mail: MailRecord): Promise<void> {
  const purgeAt = toInstant(clock.now() + COPY_KEPT_MS);
  const copy: MailRecord = { ...mail, state: "test", next_at: null, purge_at: purgeAt };
  await store.commit(MAIL_PART, mailOps(copy), [{ key: mailKey(mail.id), version: 0 }]);
}

async function dropOldest(work: JobContext): Promise<number> {
  const newest = await work.runTx(work.part, (tx) =>
    tx.peekPage(storeMails, { index: "time", limit: TEST_MAILS_MAX }),
  );
  if (newest.next === null) return 0;
  const cursor = newest.next;
  const { items } = await work.runTx(work.part, (tx) =>
    tx.peekPage(storeMails, { index: "time", limit: BATCH, cursor }),
  );
  for (const { id } of items) await finish(work, id, "sent");
  return items.length;
}
