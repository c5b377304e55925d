import type { EnginePorts } from "../../../kernel/ports.ts";
import { contentAtStake, editDraft } from "../jobs/draft-book.ts";
import { knownText } from "../jobs/known-text.ts";
import { drafts, readSettings } from "../repository.ts";
import { postUrl } from "../rules/post-url.ts";
import { contentOf } from "../rules/revision-content.ts";

/** What the engine answers to the others. */
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
  async reviseDraft(tx, { draft_id, body, message, source, by, now_at }) {
    const before = await tx.get(drafts, draft_id);
    if (before === null) return null;
    const desk = { tx, settings: await readSettings(tx), nowAt: now_at, by };
    const content = { ...(await contentAtStake(tx, before.value)), body };
    const { value } = await editDraft(desk, before, { content, stage: true, message, source });
    return {
      revision: value.pending_revision ?? value.revision,
      is_staged: value.pending_revision !== null,
    };
  },
};
