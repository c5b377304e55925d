import { fail } from "../../../lib/errors.ts";
import type { MessageKey } from "../../../core/words.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { FORMS_LIMITS } from "../data/limits.ts";
import { files, goneFile } from "../repository.ts";
import { subjectOf } from "../rules/contact-of.ts";
import type { FormContent } from "../schema.ts";
import type { Answers } from "../schema/field.ts";
import type { Fault, StoredFile, Submission, SubmittedFile } from "../schema/submission.ts";
import { formWords, refuseAnswers } from "./read-form.ts";
import type { FormsWork } from "./work.ts";

export const toSubmitted = ({ bytes, field, id, mime, name, scan, sha256 }: StoredFile): SubmittedFile => ({
  id,
  field,
  name,
  bytes,
  mime,
  sha256,
  scan,
});

/** The uploads in the answers. Throws 422 for one of another form or field, a used or an infected one. */
export async function readSentFiles(
  tx: Tx,
  formId: string,
  content: FormContent,
  data: Answers,
): Promise<StoredFile[]> {
  const { attached, faults } = await findSentFiles(tx, formId, content, data);
  if (faults.length > 0) throw refuseAnswers(faults);
  assertTotal(attached);
  return attached;
}

/** Keeps the uploads of a partial submission as long as it; the sender chooses those again that cannot be sent. */
export async function keepUploads(
  work: FormsWork,
  content: FormContent,
  { before, partial }: { readonly before: Submission | undefined; readonly partial: Submission },
): Promise<SubmittedFile[]> {
  const { contact, data, expires_at, form_id } = partial;
  const { attached } = await findSentFiles(work.tx, form_id, content, data);
  assertTotal(attached);
  const ids = new Set(attached.map(({ id }) => id));
  if (before !== undefined)
    await dropFiles(work, { ...before, files: before.files.filter(({ id }) => !ids.has(id)) });
  for (const id of ids) {
    const stored = await work.tx.require(files, id);
    work.tx.put(files, stored, { ...stored.value, email: subjectOf(contact), expires_at });
  }
  return attached.map(toSubmitted);
}

async function findSentFiles(tx: Tx, formId: string, content: FormContent, data: Answers) {
  const { say } = formWords(content);
  const attached: StoredFile[] = [];
  const faults: Fault[] = [];
  for (const { key, type } of content.fields) {
    const ids = data[key];
    if (type !== "file" || !Array.isArray(ids)) continue;
    for (const id of new Set(ids)) {
      const file = (await tx.get(files, id))?.value;
      const fault = faultOf(file, formId, key);
      if (file !== undefined && fault === null) attached.push(file);
      else faults.push({ field: key, code: "invalid", message: say(fault ?? "form.fault_file_gone") });
    }
  }
  return { attached, faults };
}

function faultOf(file: StoredFile | undefined, formId: string, field: string): MessageKey | null {
  if (file === undefined || file.state === "receiving" || file.state === "gone")
    return "form.fault_file_gone";
  if (file.form_id !== formId || file.field !== field) return "form.fault_file_elsewhere";
  if (file.state === "attached") return "form.fault_file_used";
  return file.scan === "infected" ? "form.fault_file_infected" : null;
}

function assertTotal(files: readonly StoredFile[]): void {
  const bytes = files.reduce((all, file) => all + file.bytes, 0);
  if (files.length <= FORMS_LIMITS.files && bytes <= FORMS_LIMITS.submissionFileBytes) return;
  throw fail(
    "content_too_large",
    `A submission can have at most ${FORMS_LIMITS.files} files with ${FORMS_LIMITS.submissionFileBytes} bytes in ` +
      "total.",
  );
}

/** Attaches uploads to a submission; null discards them, for a form that stores none. */
export async function attachFiles(
  { nowAt, tx }: FormsWork,
  ids: readonly string[],
  to: Submission | null,
): Promise<void> {
  for (const id of ids) {
    const before = await tx.get(files, id);
    if (before === null || before.value.state === "gone") continue;
    const kept: StoredFile = {
      ...before.value,
      state: "attached",
      submission_id: to?.id ?? null,
      email: to === null ? null : subjectOf(to.contact),
      expires_at: null,
    };
    tx.put(files, before, to === null ? goneFile(before.value, nowAt) : kept);
  }
}

/** Discards the files of a submission: the sweep deletes their contents. */
export async function dropFiles(
  { nowAt, tx }: Pick<FormsWork, "nowAt" | "tx">,
  submission: Submission,
): Promise<void> {
  for (const { id } of submission.files) {
    const before: Stored<StoredFile> | null = await tx.get(files, id);
    if (before !== null) tx.put(files, before, goneFile(before.value, nowAt));
  }
}
