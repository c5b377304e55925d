import { changeDue, eachDue } from "../../core/batches.ts";
import { timeOrder } from "../../core/collection.ts";
import type { Collection } from "../../core/collection.ts";
import type { Job, JobContext } from "../../core/engine.ts";
import { shareCommits } from "../../core/share-commits.ts";
import type { Stored } from "../../core/tx.ts";
import { watch } from "../../core/watch.ts";
import { dropSubmission } from "./services/erase.ts";
import { moveRequest } from "./services/quote-requests.ts";
import { emit, openWork } from "./services/work.ts";
import type { FormsWork } from "./services/work.ts";
import { contents, files, forms, marks, quoteRequests, submissions } from "./repository.ts";
import { actionOf, nextQuoteStatus } from "./rules/quote-state.ts";

interface Due<T extends { id: string }> {
  readonly collection: Collection<T>;
  readonly index: string;
  readonly dueOf: (value: T) => string | null;
  readonly work: (work: FormsWork, stored: Stored<T>) => Promise<void>;
}

/** Processes due documents of an index. */
async function workThrough<T extends { id: string }>(
  context: JobContext,
  { collection, dueOf, index, work }: Due<T>,
): Promise<number> {
  const isDue = (value: T): boolean => timeOrder(dueOf(value) ?? "") <= timeOrder(context.nowAt);
  const { done } = await changeDue(context, { collection, index, isDue }, async (tx, id) => {
    const stored = await tx.get(collection, id);
    if (stored !== null) await work(await openWork(context, tx), stored);
    return 1;
  });
  return done;
}

/** Deletes submissions whose retention period has ended, and expired markers. */
export const sweepSubmissions: Job = {
  id: "forms.retention",
  summary: "Deletes submissions whose retention period has ended, partial ones after a week, and used tokens",
  schedule: "41 * * * *",
  async run(context) {
    const removed = await workThrough(context, {
      collection: submissions,
      index: "due",
      dueOf: ({ expires_at: at }) => at,
      work: dropSubmission,
    });
    const forgotten = await workThrough(context, {
      collection: marks,
      index: "due",
      dueOf: ({ expires_at: at }) => at,
      work: async ({ tx }, stored) => tx.remove(marks, stored),
    });
    return { removed, forgotten };
  },
};

/** Deletes unused and erased files with their contents. */
export const sweepFiles: Job = {
  id: "forms.files",
  summary: "Deletes uploads that were never submitted, and remains of erased files",
  schedule: "*/10 * * * *",
  watches: [watch(files, { index: "due", due: ({ expires_at: at }) => at })],
  run: (context) => contents.sweep(context),
};

/** Closes forms at their closing time. */
export const closeForms: Job = {
  id: "forms.closing",
  summary: "Closes forms at their closing time",
  schedule: "* * * * *",
  watches: [watch(forms, { index: "closing", due: ({ closes_at: at }) => at })],
  async run(context) {
    const closed = await workThrough(context, {
      collection: forms,
      index: "closing",
      dueOf: ({ closes_at: at }) => at,
      work: async (world, stored) => {
        world.tx.put(forms, stored, {
          ...stored.value,
          status: "closed",
          closed_reason: "closes_at",
          updated_at: world.nowAt,
        });
        emit(world, "form.closed", { form_id: stored.id, reason: "closes_at" });
      },
    });
    return { closed };
  },
};

/** Checks the catering quotes: a request is accepted, declined or expired with its quote. */
export const followQuotes: Job = {
  id: "forms.quotes",
  summary: "Updates quote requests when their catering quotes are accepted, declined or expire",
  schedule: "*/5 * * * *",
  watches: [watch(quoteRequests, { index: "by", value: "status.quoted" })],
  async run(context) {
    // All of them, since any quote may have changed.
    const quoted = { collection: quoteRequests, index: "by", value: "status.quoted", isDue: () => true };
    const { done: moved } = await changeDue(context, { ...quoted, max: Infinity }, async (tx, id) => {
      const stored = await tx.get(quoteRequests, id);
      const quoteId = stored?.value.quote_id ?? null;
      if (stored === null || quoteId === null) return 0;
      const state = await context.ports.engines.quoteStateOf(tx, quoteId);
      const action = actionOf(state?.status ?? "");
      if (action === null || nextQuoteStatus(action, stored.value.status) === null) return 0;
      moveRequest(await openWork(context, tx), stored, action, { by: "catering" });
      return 1;
    });
    return { moved };
  },
};

/** Scans files whose scanner was unavailable when they were uploaded. */
export const rescanFiles: Job = {
  id: "forms.scan",
  summary: "Scans files that have not been scanned yet",
  schedule: "*/5 * * * *",
  watches: [watch(files, { index: "unscanned" })],
  async run(context) {
    const { part, ports, runTx } = context;
    const { scan } = ports;
    if (scan === undefined) return { scanned: 0 };
    const unscanned = { collection: files, index: "unscanned", isDue: () => true, max: 200 };
    const open = new Set<string>();
    const { done } = await eachDue(context, unscanned, async (id) => {
      open.add(id);
      const file = await runTx(part, (tx) => tx.get(files, id));
      const bytes = file && (await runTx(part, (tx) => contents.read(tx, ports, file.value)));
      const verdict = bytes === null ? "pending" : await scan(bytes);
      if (verdict === "pending") return 0;
      await runTx(part, async (tx) => {
        const stored = await tx.get(files, id);
        if (stored === null) return;
        tx.put(files, stored, { ...stored.value, scan: verdict });
        const holder = stored.value.submission_id;
        const submission = holder === null ? null : await tx.get(submissions, holder);
        if (submission === null) return;
        const scanned = submission.value.files.map((one) =>
          one.id === id ? { ...one, scan: verdict } : one,
        );
        tx.put(submissions, submission, { ...submission.value, files: scanned });
      });
      open.delete(id);
      return 1;
    });
    // There can be more that the scanner never reads than a run looks at: the next run begins with the others.
    const listed = await runTx(part, (tx) => tx.peekCount(files, { index: "unscanned", max: open.size + 1 }));
    if (listed > open.size) await moveBehind(context, open);
    return { scanned: done };
  },
};

async function moveBehind({ nowAt, part, runTx }: JobContext, ids: ReadonlySet<string>): Promise<void> {
  const shared = shareCommits(runTx, part);
  await Promise.all(
    Array.from(ids, (id) =>
      shared(part, async (tx) => {
        const stored = await tx.get(files, id);
        if (stored !== null) tx.put(files, stored, { ...stored.value, scan_tried_at: nowAt });
      }),
    ),
  );
}
