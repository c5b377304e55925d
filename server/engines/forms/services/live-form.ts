import { conflict, fail } from "../../../lib/errors.ts";
import { giveWay } from "../../../lib/slices.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { forms, formVersions, versionId } from "../repository.ts";
import { availability } from "../rules/form-state.ts";
import type { Form, FormContent } from "../schema.ts";

/** A form as visible to visitors: the document, and the published version. */
export interface LiveForm {
  readonly form: Stored<Form>;
  readonly version: number;
  readonly content: FormContent;
}

/** The published form; 404 if it was never published or is archived. */
export async function liveForm(tx: Tx, id: string): Promise<LiveForm> {
  const liveForm = await findLiveForm(tx, id);
  if (liveForm === null) throw fail("not_found", "No published form with this id.");
  return liveForm;
}

/** The same, or null. Read with pauses: both documents can be large, and anyone can request several at once. */
export async function findLiveForm(tx: Tx, id: string): Promise<LiveForm | null> {
  const form = await tx.get(forms, id);
  await giveWay(tx.part);
  const version = form?.value.published_version ?? null;
  if (form === null || version === null || form.value.status === "archived") return null;
  await giveWay(tx.part);
  const content = await contentOf(tx, id, version);
  return content === null ? null : { form, version, content };
}

/** Content of a version; null if it does not exist. */
export const contentOf = async (tx: Tx, formId: string, version: number): Promise<FormContent | null> =>
  (await tx.get(formVersions, versionId(formId, version)))?.value.content ?? null;

/** Throws if a form does not accept submissions now: 410 `form_closed`, 409 `form_paused` or `form_not_open`. */
export function assertOpen({ content, form }: LiveForm, now: number): void {
  const state = availability(form.value, content.settings, now);
  if (state.open) return;
  const { code, detail } = state;
  if (code === "form_closed") throw fail("gone", detail, { code });
  if (code === "not_published") throw fail("not_found", detail);
  throw conflict(code === "paused" ? "form_paused" : "form_not_open", detail);
}
