import { eachDue } from "../../../core/batches.ts";
import type { Job, JobContext } from "../../../core/engine.ts";
import { Problem } from "../../../lib/errors.ts";
import { watch } from "../../../core/watch.ts";
import { rewrites } from "../repository.ts";
import type { Rewrite } from "../schema/rewrite.ts";
import { compareRewrite } from "../services/page-tasks.ts";

/** Generates requested rewrites. */
export const writeRewrites: Job = {
  id: "answeros.write-rewrites",
  summary: "Generates requested rewrites and scores both texts",
  schedule: "*/5 * * * * *",
  watches: [watch(rewrites, { index: "by", value: "queued" })],
  async run(work) {
    const counts = { ready: 0, needs_review: 0, failed: 0 };
    const queued = { collection: rewrites, index: "by", value: "queued", isDue: () => true };
    await eachDue(work, queued, async (id) => {
      const rewrite = await work.runTx(work.part, (tx) => tx.get(rewrites, id));
      if (rewrite?.value.status !== "queued") return 0;
      const status = await writeOne(work, rewrite.value);
      if (status === null) return 0;
      counts[status] += 1;
      return 1;
    });
    return counts;
  },
};

/** A rewrite is one document, with both texts and their differences. */
const REWRITE_BYTES_MAX = 250_000;

const WORSE = "The rules of the builtin provider make this text worse. Use a model, or rewrite it yourself.";

type Done = Pick<
  Rewrite,
  "after" | "diff" | "score_before" | "score_after" | "unsupported_claims" | "provider" | "model" | "usage_id"
>;

/** Generates outside of any transaction; the result is stored if it is still requested. */
async function writeOne(
  work: JobContext,
  rewrite: Rewrite,
): Promise<"ready" | "needs_review" | "failed" | null> {
  const written = await tryToWrite(work, rewrite);
  // The call was broken off here: the text is written in the next run.
  if ("error" in written && work.signal.aborted) return null;
  return work.runTx(work.part, async (tx) => {
    const before = await tx.get(rewrites, rewrite.id);
    if (before === null || before.value.status !== "queued") return null;
    const base = { ...before.value, updated_at: work.nowAt };
    if ("error" in written) {
      tx.put(rewrites, before, { ...base, status: "failed", error: written.error });
      return "failed";
    }
    if (Buffer.byteLength(JSON.stringify({ ...base, ...written })) > REWRITE_BYTES_MAX) {
      const detail = "The new text and its changes are too large to be stored. Rewrite a shorter text.";
      tx.put(rewrites, before, { ...base, status: "failed", error: { code: "too_large", detail } });
      return "failed";
    }
    const status = written.unsupported_claims.length === 0 ? "ready" : "needs_review";
    tx.put(rewrites, before, { ...base, ...written, status });
    tx.emit({
      id: work.newId("evt"),
      type: "answeros.rewrite.ready",
      at: work.nowAt,
      data: {
        rewrite_id: rewrite.id,
        page_id: rewrite.page_id,
        draft_id: rewrite.draft_id,
        status,
        score_before: written.score_before,
        score_after: written.score_after,
      },
    });
    return status;
  });
}

async function tryToWrite(
  work: JobContext,
  rewrite: Rewrite,
): Promise<Done | { readonly error: NonNullable<Rewrite["error"]> }> {
  try {
    const result = await work.ports.ai.generate({
      engine: "answeros",
      operation: "rewrite",
      input: {
        text: rewrite.before,
        format: rewrite.format,
        locale: rewrite.locale,
        ops: rewrite.ops,
        ...(rewrite.question === null ? {} : { question: rewrite.question }),
      },
      ...(rewrite.provider === null ? {} : { provider: rewrite.provider }),
      key_id: null,
      resource: rewrite.id,
      request_id: rewrite.id,
      part: work.part,
      signal: work.signal,
    });
    const compared = await compareRewrite(work.part, {
      before: rewrite.before,
      after: result.text,
      format: rewrite.format,
      locale: rewrite.locale,
      question: rewrite.question,
      now: work.now,
    });
    if (result.provider === "builtin" && compared.score_after < compared.score_before) {
      return { error: { code: "needs_model", detail: WORSE } };
    }
    return {
      after: result.text,
      ...compared,
      unsupported_claims: result.unsupported_claims.map((claim) => ({ ...claim })),
      provider: result.provider,
      model: result.model,
      usage_id: result.usage_id,
    };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { error: { code: error.options.code ?? error.type, detail: error.detail.slice(0, 300) } };
  }
}
