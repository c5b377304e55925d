import type { ScheduledJob } from "../core/engine.ts";
import { toInstant } from "../lib/instant.ts";
import type { JobContext } from "../core/engine.ts";
import { derivedId } from "../core/ids.ts";
import { letters } from "../core/letters.ts";
import type { Letter } from "../core/letters.ts";
import { isTestPart } from "../core/test-clock.ts";
import type { Stored } from "../core/tx.ts";
import { watch } from "../core/watch.ts";
import type { StoreDriver } from "../storage/contract.ts";
import type { Outbox } from "./outbox.ts";
import { MAIL_PART, mailKey, mailOps } from "./record.ts";
import type { MailRecord } from "./record.ts";
import { isMailName } from "./render.ts";

const BATCH = 50;
const KEEP_TEST_MS = 7 * 86_400_000;

export interface ForwardDeps {
  readonly store: Pick<StoreDriver, "commit">;
  readonly mail: Pick<Outbox, "compose">;
  readonly secret: Uint8Array;
}

/**
 * Moves the letters of engines from the stores' partitions into the outbox: written there under an id that follows from
 * the letter, then removed here. A crash between the two repeats the first half, which then finds it done.
 */
export const createForwardLetters = (deps: ForwardDeps): ScheduledJob => ({
  id: "mail.forward",
  summary: "Moves the mail that engines wrote into the outbox",
  schedule: "*/5 * * * * *",
  watches: [
    watch(letters, {
      index: "waiting",
      due: ({ created_at: at }, part) => (isTestPart(part) ? toInstant(Date.parse(at) + KEEP_TEST_MS) : at),
    }),
  ],
  on: "stores",
  async run(work) {
    const { items } = await work.runTx(work.part, (tx) =>
      tx.page(letters, { index: "waiting", limit: BATCH }),
    );
    if (isTestPart(work.part)) return { forwarded: 0, failed: 0, dropped: await dropOld(work, items) };
    const counts = { forwarded: 0, failed: 0, dropped: 0 };
    for (const { value } of items) {
      if (work.signal.aborted) break;
      const mail = await compose(deps, work, value);
      if (mail === null) counts.failed += 1;
      else {
        // A conflict says that the mail is in the outbox, or was until lately: either way it must not be sent again.
        const about = value.about === undefined ? {} : { about: value.about };
        await deps.store.commit(MAIL_PART, mailOps({ ...mail, ...about, part: work.part }), [
          { key: mailKey(mail.id), version: 0 },
        ]);
        counts.forwarded += 1;
      }
      await finish(work, value.id, mail === null);
    }
    return counts;
  },
});

async function compose(
  deps: ForwardDeps,
  { log, part }: JobContext,
  letter: Letter,
): Promise<MailRecord | null> {
  const { to, template, data } = letter;
  try {
    if (!isMailName(template)) throw new TypeError(`There is no mail ${template}.`);
    const id = derivedId("mail", deps.secret, [part, letter.id]);
    // The template's own schema checks the data.
    return await deps.mail.compose({ id, to, template, data: data as never });
  } catch (err) {
    log.error({ err, letter: letter.id, part }, "letter cannot be sent");
    return null;
  }
}

const finish = (work: JobContext, id: string, isFailed: boolean): Promise<void> =>
  work.runTx(work.part, async (tx) => {
    const letter = await tx.get(letters, id);
    if (letter === null) return;
    if (isFailed) tx.put(letters, letter, { ...letter.value, state: "failed" });
    else tx.remove(letters, letter);
  });

/** Letters among test data can be looked at for a week of their own time. */
async function dropOld(work: JobContext, items: readonly Stored<Letter>[]): Promise<number> {
  const old = items.filter(({ value }) => Date.parse(value.created_at) + KEEP_TEST_MS <= work.now);
  for (const { id } of old) await finish(work, id, false);
  return old.length;
}
