import { z } from "zod";

import { linkParams, requireLink } from "../../../core/link-page.ts";
import { fromInstant } from "../../../lib/instant.ts";
import { html } from "../../../lib/html.ts";
import type { Reply } from "../../../core/reply.ts";
import { defineOpenRoute } from "../../../core/route.ts";
import type { Stored } from "../../../core/tx.ts";
import { endInvitation, isOpen, reviewedPlaces } from "../services/invitations.ts";
import type { ReadPhotos } from "../services/photos.ts";
import { attachPhotos, discardPhotos, mediaOf, readPhotos, storePhotos } from "../services/photos.ts";
import { submitReview } from "../services/submit.ts";
import { invitations, readSettings } from "../repository.ts";
import { offeredIn } from "../rules/plan-invitation.ts";
import { verifyInvitation } from "../rules/verification.ts";
import { Body, Rating, Title } from "../schema.ts";
import type { Invitation } from "../schema/invitation.ts";
import type { Settings } from "../schema/settings.ts";
import { Form, formPage } from "./public-form-page.ts";
import type { LinkContext } from "./public-links.ts";
import type { MessageKey } from "../../../core/words.ts";
import { link, onLink, showMessage } from "./public-links.ts";

const show = defineOpenRoute({
  id: "public.reviews.show",
  method: "GET",
  path: "/reviews/:token",
  summary: "Show the form of a review invitation",
  ...link("reviews.invitation"),
  query: z.object({ item: z.coerce.number().pipe(z.int().min(0).max(49)).optional() }),
  example: { params: linkParams },
  handle: ({ params: { token }, query }, ctx) =>
    onInvitation(ctx, token, async ({ tx, work, face }, stored, settings) => {
      const open = await openItems(tx, stored.value);
      const at = query.item !== undefined && open.includes(query.item) ? query.item : open[0];
      if (at === undefined) return showMessage(face, THANKS);
      if (stored.value.status === "sent" && ctx.method === "GET") {
        tx.put(invitations, stored, { ...stored.value, status: "clicked", updated_at: work.nowAt });
      }
      return formPage(face, { token, invitation: stored.value, settings, open, at, given: null, wrong: [] });
    }),
});

const send = defineOpenRoute({
  id: "public.reviews.submit",
  method: "POST",
  path: "/reviews/:token",
  summary: "Submit a review through the form of an invitation",
  ...link("reviews.invitation"),
  body: Form,
  form: "multipart",
  example: { params: linkParams, body: { item: "0", rating: "5", body: "Lovely.", display_name: "Ada" } },
  async handle({ params: { token }, body }, ctx) {
    const { part } = requireLink(ctx, "reviews.invitation", token);
    const over = body.photos.length === 0 ? null : await overOf(ctx, token, Number(body.item));
    if (over !== null) return over;
    // Once, and outside the transaction, which may run again.
    const uploads = await readPhotos(await ctx.taskOwnerOf(part), ctx, body.photos);
    const wrong = [...faultsOf(body), ...uploads.wrong];
    const photos = wrong.length === 0 ? uploads.photos : [];
    await storePhotos({ ...ctx, part }, photos);
    let isTaken = false;
    const reply = await onInvitation(ctx, token, async (linked, stored, settings) => {
      isTaken = false;
      const open = await openItems(linked.tx, stored.value);
      const at = Number(body.item);
      if (!open.includes(at)) return showMessage(linked.face, THANKS);
      if (wrong.length > 0) {
        return formPage(linked.face, {
          token,
          invitation: stored.value,
          settings,
          open,
          at,
          given: body,
          wrong,
        });
      }
      await take(linked, { stored, settings, at, body, photos });
      isTaken = true;
      const left = open.filter((place) => place !== at);
      return left.length === 0
        ? showMessage(linked.face, THANKS)
        : showMessage(
            linked.face,
            ["review_page.thanks", "review_page.submitted"],
            html`<p><a href="/api/public/reviews/${token}">${linked.face.say("review_page.more")}</a></p>`,
          );
    });
    if (!isTaken) await discardPhotos({ ...ctx, part }, photos);
    return reply;
  },
});

const THANKS = ["review_page.thanks", "review_page.all_submitted"] as const;

/** The page for what cannot be reviewed, or not any more: its photos need not be read. Null for what can. */
const overOf = (ctx: LinkCtx, token: string, item: number): Promise<Reply<never> | null> =>
  onInvitation(ctx, token, async ({ tx, face }, { value }) =>
    (await openItems(tx, value)).includes(item) ? null : showMessage(face, THANKS),
  );

type LinkCtx = Parameters<typeof onLink>[0];

async function onInvitation<R>(
  ctx: LinkCtx,
  token: string,
  handle: (linked: LinkContext, stored: Stored<Invitation>, settings: Settings) => Promise<R>,
): Promise<R | Reply<never>> {
  return onLink(ctx, "reviews.invitation", token, async (linked) => {
    const stored = await linked.tx.get(invitations, linked.id);
    const isOver =
      stored === null ||
      stored.value.status === "cancelled" ||
      (stored.value.expires_at !== null && fromInstant(stored.value.expires_at) <= linked.work.now);
    if (isOver) return showMessage(linked.face, ["review_page.expired_title", "review_page.expired_text"]);
    const settings = await readSettings(linked.tx);
    const face = linked.face.with({ name: settings.shop_name, locale: stored.value.locale });
    return handle({ ...linked, face }, stored, settings);
  });
}

async function openItems(tx: LinkContext["tx"], invitation: Invitation): Promise<number[]> {
  const reviewed = await reviewedPlaces(tx, invitation);
  return invitation.items.map((_, at) => at).filter((at) => !reviewed.includes(at));
}

function faultsOf(form: Form): MessageKey[] {
  return [
    ...(Rating.safeParse(Number(form.rating)).success ? [] : ["review_page.wrong_rating" as const]),
    ...(Title.safeParse(form.title).success ? [] : ["review_page.wrong_title" as const]),
    ...(Body.safeParse(form.body).success ? [] : ["review_page.wrong_body" as const]),
    ...(form.display_name.trim().length <= 100 ? [] : ["review_page.wrong_name" as const]),
  ];
}

/**
 * Stores the review: of a verified purchase, since only the customer has the link, and with the incentive of the
 * invitation.
 */
async function take(
  { tx, work }: LinkContext,
  input: {
    readonly stored: Stored<Invitation>;
    readonly settings: Settings;
    readonly at: number;
    readonly body: Form;
    readonly photos: ReadPhotos["photos"];
  },
): Promise<void> {
  const { stored, settings, at, body, photos } = input;
  const invitation = stored.value;
  const item = invitation.items[at];
  if (item === undefined) return;
  const isAnonymous = body.is_anonymous === "on" || body.display_name.trim() === "";
  const submitted = await submitReview(
    tx,
    work,
    {
      target: item.target,
      product_name: item.name,
      product_url: item.url,
      sku: item.sku,
      gtin: item.gtin,
      mpn: null,
      brand: item.brand,
      rating: Number(body.rating),
      title: body.title.trim(),
      body: body.body.trim(),
      pros: [],
      cons: [],
      attributes: {},
      remarks: {},
      recommends: body.recommends === "yes" ? true : body.recommends === "no" ? false : null,
      media: mediaOf(work.ports, tx.part, photos),
      author: {
        display_name: body.display_name.trim(),
        customer_id: invitation.customer.id,
        is_anonymous: isAnonymous,
        location: null,
      },
      email: invitation.customer.email,
      locale: invitation.locale,
      country: null,
      collection_method: "post_fulfillment",
      incentive: offeredIn(invitation, settings),
      relationship: "none",
      experienced_at: null,
      source: null,
      translations: {},
    },
    {
      verification: verifyInvitation(invitation.order_id, work.nowAt),
      invitation_id: invitation.id,
      is_trusted: true,
      address: null,
      form: body.website === "" ? null : "bad",
      submitted_at: null,
    },
  );
  await attachPhotos(tx, submitted.stored.value, { read: photos, nowAt: work.nowAt });
  const reviewed = [...new Set([...invitation.reviewed, at])].sort((a, b) => a - b);
  const next = tx.put(invitations, stored, { ...invitation, reviewed, updated_at: work.nowAt });
  if (reviewed.length === invitation.items.length && isOpen(invitation)) {
    await endInvitation(tx, work, next, { status: "submitted", reason: null });
  }
}

export const publicFormRoutes = [show, send];
