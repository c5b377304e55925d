import { derivedId } from "../../../core/ids.ts";
import { stageStoreMail } from "../../../core/store-mail.ts";
import type { Tx } from "../../../core/tx.ts";
import { suppressionId } from "../repository.ts";
import { makeToken } from "../../../core/link-token.ts";
import type { Review } from "../schema.ts";
import type { Invitation } from "../schema/invitation.ts";
import type { PrivateReply } from "../schema/records.ts";
import type { Settings } from "../schema/settings.ts";
import type { ReviewWork } from "./work.ts";

export const storeMailId = (parts: readonly string[]): string => derivedId("ltr", new Uint8Array(), parts);

export const invitationMailId = (invitation: Pick<Invitation, "id">, n: number): string =>
  storeMailId([invitation.id, String(n)]);

/** Display name of the subject of a review. */
const nameOf = ({ product_name: name, target }: Review): string => name ?? target.id;

/** The invitation, or its reminder: marketing mail with a link to unsubscribe from all of them. */
export async function sendInvitation(
  tx: Tx,
  work: ReviewWork,
  {
    invitation,
    settings,
    n,
  }: { readonly invitation: Invitation; readonly settings: Settings; readonly n: 0 | 1 },
): Promise<void> {
  const base = `${work.ports.baseUrl}/api/public/reviews`;
  const open = invitation.items.filter((_, at) => !invitation.reviewed.includes(at));
  await stageStoreMail(tx, {
    id: invitationMailId(invitation, n),
    to: invitation.customer.email,
    template: n === 0 ? "review-invitation" : "review-reminder",
    ...(invitation.locale === null ? {} : { locale: invitation.locale }),
    created_at: work.nowAt,
    data: {
      shop_name: settings.shop_name,
      customer_name: invitation.customer.name,
      items: open
        .slice(0, 3)
        .map(({ name }) => name)
        .join("; "),
      incentive: settings.invitations.incentive.type,
      review_url: `${base}/${makeToken(work.ports, "reviews.invitation", tx.part, invitation.id)}`,
      unsubscribe_url: `${base}/unsubscribe/${makeToken(work.ports, "reviews.unsubscribe", tx.part, suppressionId(invitation.customer.email))}`,
    },
  });
}

/** Asks the author to confirm the e-mail address. */
export const requestConfirmation = (
  tx: Tx,
  work: ReviewWork,
  review: Review,
  settings: Settings,
): Promise<void> =>
  mailAuthor(tx, work, review, {
    id: storeMailId([review.id, "confirm", review.updated_at]),
    template: "review-confirmation",
    locale: review.locale,
    data: {
      shop_name: settings.shop_name,
      confirm_url: `${work.ports.baseUrl}/api/public/reviews/confirm/${makeToken(work.ports, "reviews.confirm", tx.part, review.id)}`,
    },
  });

/** Notifies the author that the store changed the text, with a link to decline. */
export const notifyOfEdit = (tx: Tx, work: ReviewWork, review: Review, settings: Settings): Promise<void> =>
  mailAuthor(tx, work, review, {
    id: storeMailId([review.id, "edit", work.nowAt]),
    template: "review-edited",
    data: {
      shop_name: settings.shop_name,
      new_title: review.title,
      new_body: review.body,
      review_url: `${work.ports.baseUrl}/api/public/reviews/edits/${makeToken(work.ports, "reviews.edit", tx.part, review.id)}`,
    },
  });

type AuthorMail = Pick<Parameters<typeof stageStoreMail>[1], "id" | "template" | "data" | "locale">;
/** Mails the author of a review, if the address is known. */
async function mailAuthor(
  tx: Tx,
  work: ReviewWork,
  review: Review,
  { data, ...mail }: AuthorMail,
): Promise<void> {
  if (review.email === null) return;
  await stageStoreMail(tx, {
    ...mail,
    to: review.email,
    created_at: work.nowAt,
    data: { ...data, author_name: review.author.display_name, product: nameOf(review) },
  });
}

export async function sendPrivateReply(
  tx: Tx,
  work: ReviewWork,
  input: { readonly review: Review; readonly reply: PrivateReply; readonly settings: Settings },
): Promise<void> {
  await stageStoreMail(tx, {
    id: storeMailId([input.reply.id]),
    to: input.reply.email,
    template: "review-private-reply",
    created_at: work.nowAt,
    data: {
      shop_name: input.settings.shop_name,
      author_name: input.review.author.display_name,
      product: nameOf(input.review),
      message: input.reply.body,
      by: input.reply.by,
      shop_url: input.settings.shop_url,
    },
  });
}
