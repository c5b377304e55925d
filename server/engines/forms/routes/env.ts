import { z } from "zod";

import { conflictWhen, fail } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import type { LiveForm } from "../services/live-form.ts";
import { findLiveForm } from "../services/live-form.ts";
import { forms } from "../repository.ts";
import { FormContent } from "../schema.ts";
import type { Form } from "../schema.ts";

export const notPublished = { type: "not_found", when: "No published form with this id" } as const;
export const badState = conflictWhen("invalid_transition", "The status does not allow this");
export const closed = [
  { type: "gone", code: "form_closed", when: "The form is closed or has reached its limit of submissions" },
  conflictWhen("form_paused", "The form is paused"),
  conflictWhen("form_not_open", "The form is not open yet"),
] as const;

/** Content of a form, without the metadata of its document. */
export const contentIn = (form: Form): FormContent =>
  FormContent.parse(
    Object.fromEntries(Object.keys(FormContent.shape).map((key) => [key, Reflect.get(form, key)])),
  );

/** The form as visible to the caller: the published version, or for the store itself also the draft. */
export async function shownForm(ctx: Ctx, id: string): Promise<LiveForm> {
  const live = await findLiveForm(ctx.tx, id);
  if (live !== null) return live;
  if (ctx.isPublic) throw fail("not_found", "No published form with this id.");
  const form = await ctx.tx.require(forms, id);
  return { form, version: form.value.form_version, content: contentIn(form.value) };
}

/** Public id of a form for pages without script: it contains the store's partition, which is not secret. */
export const publicId = (part: string, formId: string): string => `${part}.${formId}`;
export const actionUrl = (baseUrl: string, part: string, formId: string): string =>
  `${baseUrl}/api/public/forms/${publicId(part, formId)}`;

/** Refuses other origins if the form is restricted to the store's own. */
export function assertOrigin(
  { content }: LiveForm,
  origin: { readonly isAllowed: boolean; readonly hasOrigins: boolean },
): void {
  if (!content.settings.strict_origin || !origin.hasOrigins || origin.isAllowed) return;
  throw fail("forbidden", "This form does not accept submissions from pages of this origin.", {
    code: "origin_not_allowed",
  });
}

export const PublicParams = z.object({ public_id: z.string().max(120) });
export const publicParams = { public_id: "sto_01jd8z5t9qk3m4n5p6r7s8t9v0.frm_01JD8Z5T9QK3M4N5P6R7S8T9V0" };

/** For `paidBy`: the partition of the store whose form it is. */
export const formPart = ({ params }: { readonly params: { readonly public_id: string } }): string | null =>
  targetOf(params.public_id)?.part ?? null;

/** The URL contains a store's partition and a form's id: both are in the store's page anyway. */
export function targetOf(publicId: string): { readonly part: string; readonly formId: string } | null {
  const match = /^(sto_[0-9a-z]{26}(?:_test)?)\.(frm_[0-9A-Z]{26})$/.exec(publicId);
  return match === null ? null : { part: match[1] ?? "", formId: match[2] ?? "" };
}
