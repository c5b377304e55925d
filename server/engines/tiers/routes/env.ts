import { conflictWhen } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { readCuts, requireRules } from "../repository.ts";
import { localDateAt } from "../../../lib/local-time.ts";
import type { EvaluationContext } from "../services/members.ts";

/** What an evaluation needs, and the store's date. 409 if no programme is published. */
export async function openEvaluation({
  tx,
  now,
  nowAt,
}: Pick<Ctx, "tx" | "now" | "nowAt">): Promise<
  EvaluationContext & { readonly now: number; readonly today: string }
> {
  const running = await requireRules(tx);
  const today = localDateAt(now, running.rules.timezone);
  return { ...running, now, nowAt, today, cuts: await readCuts(tx) };
}

export const noProgramme = conflictWhen("no_programme", "The store has no published programme");
