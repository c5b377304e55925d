import { derivedId } from "../../../core/ids.ts";
import { readShop } from "../../../core/shop.ts";
import { stageStoreMail } from "../../../core/store-mail.ts";
import { wordsIn } from "../../../core/words.ts";
import { FORMS_TIMES } from "../data/limits.ts";
import { holds } from "../rules/condition.ts";
import { contactOf, subjectOf } from "../rules/contact-of.ts";
import { copyForSender, copyForShop, copyOfConsents } from "../rules/mail-copy.ts";
import type { FormContent } from "../schema.ts";
import type { Answers } from "../schema/field.ts";
import type { Submission } from "../schema/submission.ts";
import { formWords } from "./read-form.ts";
import type { FormsWork } from "./work.ts";
import { mark } from "./work.ts";

/** Input of the mails. The answers are passed separately, since a form may not store them. */
export interface MailInput {
  readonly content: FormContent;
  readonly formId: string;
  readonly submissionId: string;
  readonly respondentRef: string;
  readonly data: Answers;
  readonly consents: Submission["consents"];
  readonly files: number;
  /** After it was sent. */
  readonly edited?: true;
}

/** What the mails about a submission need of it. */
export const mailOf = (content: FormContent, submission: Submission): MailInput => ({
  content,
  formId: submission.form_id,
  submissionId: submission.id,
  respondentRef: submission.respondent_ref,
  data: submission.data,
  consents: submission.consents,
  files: submission.files.length,
});

/** Stages the mails to the store and to the sender; returns their ids, so that an erasure can cancel them. */
export async function sendMails(work: FormsWork, mail: MailInput): Promise<string[]> {
  if (!work.settings.send_mail) return [];
  return [...(await notifyShop(work, mail)), ...(await answerSender(work, mail))];
}

const storeMailId = ({ part }: FormsWork, idParts: readonly string[]): string =>
  derivedId("ltr", new Uint8Array(), [part, "forms", ...idParts]);

/** `again` creates another mail for the same submission. */
export async function notifyShop(work: FormsWork, mail: MailInput, again = ""): Promise<string[]> {
  const { consents, content, data, edited = false, files, submissionId } = mail;
  const ids: string[] = [];
  const contact = contactOf(content, data);
  const sender = subjectOf(contact);
  const words = wordsIn((await readShop(work.tx))?.locale ?? null);
  for (const [at, { title, to: recipients, when }] of content.notifications.entries()) {
    if (when !== undefined && !holds(when, data)) continue;
    for (const to of new Set(recipients)) {
      const id = storeMailId(work, [submissionId, "notify", String(at), to, again]);
      await stageStoreMail(work.tx, {
        id,
        to,
        template: "forms-notification",
        data: {
          form_name: content.name,
          title,
          submission_id: submissionId,
          answers: [
            ...copyForShop(content.fields, data, words),
            ...copyOfConsents(content.consents, consents, words),
          ],
          files,
          ...(edited ? { edited } : {}),
          ...(contact.email === null ? {} : { reply_to: contact.email }),
        },
        ...(sender === null ? {} : { about: sender }),
        created_at: work.nowAt,
      });
      ids.push(id);
    }
  }
  return ids;
}

/** Replies to the mapped address, at most once an hour: otherwise a form could be used to flood third parties. */
async function answerSender(work: FormsWork, mail: MailInput): Promise<string[]> {
  const { content, data, formId, respondentRef, submissionId } = mail;
  const { attach_copy: copies, enabled, message, to_field: field } = content.autoresponder;
  const to = field === null ? undefined : data[field];
  if (!enabled || typeof to !== "string") return [];
  const address =
    subjectOf(contactOf({ ...content, contact: { ...content.contact, email: field } }, data)) ?? to;
  const until = work.now + FORMS_TIMES.replyMs;
  if ((await mark(work, "reply", [formId, work.ports.sign("forms reply", address)], until)) === null)
    return [];
  const id = storeMailId(work, [submissionId, "reply"]);
  const words = formWords(content);
  await stageStoreMail(work.tx, {
    id,
    to,
    template: "forms-receipt",
    locale: words.locale,
    data: {
      shop_name: work.settings.shop_name,
      form_name: content.name,
      message,
      answers: copies ? copyForSender(content.fields, data, words) : [],
      reference: respondentRef,
    },
    created_at: work.nowAt,
  });
  return [id];
}
