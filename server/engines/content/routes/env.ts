import { conflict, conflictWhen, fail, unprocessableWhen } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { withVersion } from "../../../core/schema.ts";
import type { DraftWork } from "../services/drafts.ts";
import { scoreDraft, scoresOf } from "../services/score-draft.ts";
import { contentAtStake } from "../services/drafts.ts";
import { readSettings } from "../repository.ts";
import { allowedActions, isAllowed } from "../rules/draft-machine.ts";
import type { DraftAction } from "../rules/draft-machine.ts";
import { gateFaults, gateNeedsScores } from "../rules/publish-gate.ts";
import { Draft } from "../schema/draft.ts";

export const DraftView = withVersion(Draft);

/** The transaction of a request with everything that writing drafts needs. */
export const deskOf = async (ctx: Ctx): Promise<DraftWork> => ({
  tx: ctx.tx,
  settings: await readSettings(ctx.tx),
  nowAt: ctx.nowAt,
  by: ctx.caller,
});

/** Throws 409 `invalid_transition` with the allowed actions. */
export function requireAllowed(draft: Draft, action: DraftAction): void {
  if (isAllowed(draft, action)) return;
  const allowed = allowedActions(draft).join(", ");
  throw conflict(
    "invalid_transition",
    `A draft with status \`${draft.status}\` does not allow ${action}. Allowed actions: ${allowed || "none"}.`,
  );
}

/**
 * Throws 422 `publish_gate`, with one entry per failed check, if the content must not go live. Returns the draft's
 * scores,
 * which may have been computed for this.
 */
export async function passGate(
  work: DraftWork,
  ctx: Pick<Ctx, "ports">,
  draft: Draft,
): Promise<Draft["scores"]> {
  const { settings, tx } = work;
  const stored = gateNeedsScores(settings) ? await scoreDraft(work, ctx.ports.engines, draft) : null;
  const judged = await contentAtStake(tx, draft);
  const faults = gateFaults(draft, judged, settings, stored?.value ?? null);
  if (faults.length > 0) {
    throw fail("unprocessable_content", `Publishing is blocked by ${faults.length} checks.`, {
      code: "publish_gate",
      errors: faults.map(({ pointer, detail }) => ({ pointer, detail })),
    });
  }
  return stored === null ? draft.scores : scoresOf(draft, stored);
}

export const badState = conflictWhen(
  "invalid_transition",
  "The draft's status does not allow this action; the detail lists the allowed ones",
);
export const gateError = unprocessableWhen(
  "publish_gate",
  "Title, body, approvals or scores do not meet the store's requirements",
);
export const slugTaken = conflictWhen(
  "slug_taken",
  "Another draft of the locale uses the slug, or used it before",
);
export const notEditable = conflictWhen("not_editable", "The draft is archived or scheduled");
