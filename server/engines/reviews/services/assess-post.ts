import type { Tx } from "../../../core/tx.ts";
import { traces } from "../repository.ts";
import type { FormVerdict } from "../rules/score-risk.ts";
import { scoreRisk, verdictOf } from "../rules/score-risk.ts";
import type { Moderation } from "../schema.ts";
import type { z } from "zod";
import type { ReviewWork } from "./work.ts";
import { countFrom, isDisposable, isProfane } from "./assess.ts";

/** The status of a visitor's question or answer: pending or spam. Those of the store are published. */
export async function assessPost(
  tx: Tx,
  work: ReviewWork,
  post: { readonly body: string; readonly email: string | null },
  from: { readonly address: string | null; readonly form: FormVerdict | null },
): Promise<{ status: "pending" | "published" | "spam"; moderation: z.output<typeof Moderation> }> {
  const nothing = { reason: null, note: "", by: null, at: null, risk: 0, signals: [] };
  if (from.address === null) {
    return { status: "published", moderation: { ...nothing, by: work.by, at: work.nowAt } };
  }
  const scored = scoreRisk({
    title: "",
    body: post.body,
    is_profane: await isProfane(post.body),
    similarity: 0,
    from_address: 1 + (await countFrom(tx, from.address, work.now)),
    is_disposable: post.email !== null && (await isDisposable(post.email)),
    is_own_domain: false,
    is_second: false,
    language: null,
    store_languages: [],
    form: from.form,
  });
  tx.create(traces, { id: work.newId("trc"), address: from.address, at: work.nowAt });
  const isSpam = verdictOf(scored, false) === "spam";
  const decided = isSpam ? { reason: "spam" as const, by: "auto", at: work.nowAt } : {};
  return { status: isSpam ? "spam" : "pending", moderation: { ...nothing, ...scored, ...decided } };
}
