import { conflict } from "../../../lib/errors.ts";
import type { DraftChange, EnginePorts } from "../../../core/ports.ts";
import { contentAtStake, editDraft } from "../services/drafts.ts";
import { knownText } from "../services/known-text.ts";
import { drafts, readSettings } from "../repository.ts";
import { postUrl } from "../rules/post-url.ts";
import { hashNew } from "../services/text-tasks.ts";
import { contentOf } from "../rules/revision-content.ts";
import type { Draft } from "../schema/draft.ts";
import { CONTENT_LIMITS } from "../schema.ts";

/** The port for other engines. */
export const contentAnswers: Pick<EnginePorts, "textOf" | "reviseDraft"> = {
  async textOf(tx, { kind, id }) {
    const draft = (await tx.get(drafts, id))?.value ?? null;
    if (draft === null || (kind === "post" && draft.status !== "published")) return null;
    if (kind === "post") {
      return knownText(draft, contentOf(draft), { kind, url: draft.published_url, revision: draft.revision });
    }
    const content = await contentAtStake(tx, draft);
    const url = postUrl(await readSettings(tx), content.slug);
    return knownText(draft, content, { kind, url, revision: draft.pending_revision ?? draft.revision });
  },
  async reviseDraft(tx, change) {
    const before = await tx.get(drafts, change.draft_id);
    if (before === null) return null;
    const { status } = before.value;
    // Otherwise it would go live at the scheduled time unreviewed, bypassing the publishing checks.
    if (status === "scheduled") {
      throw conflict("not_editable", "The draft is scheduled. Unschedule it to change it.");
    }
    const work = { tx, settings: await readSettings(tx), nowAt: change.now_at, by: change.by };
    const base = await contentAtStake(tx, before.value);
    const written =
      change.source === "ai" ? await hashNew(tx, { before: base.body, after: change.body }) : [];
    const { value } = await editDraft(work, before, {
      content: { ...base, body: change.body },
      plain: { ai: withChange(before.value.ai, written, change) },
      stage: true,
      message: change.message,
      source: change.source,
    });
    return {
      revision: value.pending_revision ?? value.revision,
      is_staged: value.pending_revision !== null,
    };
  },
};

/** Which paragraphs an AI wrote, and which claims were overridden. */
function withChange(ai: Draft["ai"], written: readonly string[], change: DraftChange): Draft["ai"] {
  const { override, by, now_at: at } = change;
  const allowed =
    override === undefined
      ? []
      : [{ generation_id: override.id, by, at, reason: override.reason, claims: override.claims }];
  return {
    ...ai,
    paragraphs: [...new Set([...ai.paragraphs, ...written])].slice(-CONTENT_LIMITS.aiParagraphs),
    overrides: [...ai.overrides, ...allowed].slice(-CONTENT_LIMITS.aiGenerations),
  };
}
