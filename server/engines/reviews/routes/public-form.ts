import { z } from "zod";

import { linkParams } from "../../../core/link-page.ts";
import type { Face } from "../../../core/face.ts";
import { fromInstant } from "../../../lib/instant.ts";
import type { Html } from "../../../lib/html.ts";
import { html } from "../../../lib/html.ts";
import type { Reply } from "../../../core/route.ts";
import { defineOpenRoute } from "../../../core/route.ts";
import type { Stored } from "../../../core/tx.ts";
import { endInvitation, isOpen, reviewedPlaces } from "../services/invitations.ts";
import { submitReview } from "../services/submit.ts";
import { invitations, readSettings } from "../repository.ts";
import { verifyInvitation } from "../rules/verification.ts";
import { Body, Rating, Title } from "../schema.ts";
import type { Invitation } from "../schema/invitation.ts";
import type { Settings } from "../schema/settings.ts";
import type { LinkContext } from "./public-links.ts";
import type { MessageKey } from "../../../core/words.ts";
import { link, onLink, showMessage } from "./public-links.ts";

/** All values are strings: errors are shown on the page, next to the input. */
const Form = z.strictObject({
  item: z.string().max(3).default("0"),
  rating: z.string().max(3).default(""),
  title: z.string().max(1000).default(""),
  body: z.string().max(20_000).default(""),
  display_name: z.string().max(1000).default(""),
  recommends: z.string().max(5).default(""),
  is_anonymous: z.string().max(5).default(""),
  /** Honeypot: hidden, so only bots fill it in. */
  website: z.string().max(1000).default(""),
});
type Form = z.output<typeof Form>;

const show = defineOpenRoute({
  id: "public.reviews.show",
  method: "GET",
  path: "/reviews/:token",
  summary: "Show the form of a review invitation",
  ...link,
  query: z.object({ item: z.coerce.number().pipe(z.int().min(0).max(49)).optional() }),
  example: { params: linkParams },
  handle: ({ params: { token }, query }, ctx) =>
    onInvitation(ctx, token, async ({ tx, env, face }, stored, settings) => {
      const open = await openItems(tx, stored.value);
      const at = query.item !== undefined && open.includes(query.item) ? query.item : open[0];
      if (at === undefined) return showMessage(face, THANKS);
      if (stored.value.status === "sent" && ctx.method === "GET") {
        tx.put(invitations, stored, { ...stored.value, status: "clicked", updated_at: env.nowAt });
      }
      return formPage(face, { token, invitation: stored.value, settings, open, at, given: null, wrong: [] });
    }),
});

const send = defineOpenRoute({
  id: "public.reviews.submit",
  method: "POST",
  path: "/reviews/:token",
  summary: "Submit a review through the form of an invitation",
  ...link,
  body: Form,
  form: true,
  example: { params: linkParams, body: { item: "0", rating: "5", body: "Lovely.", display_name: "Ada" } },
  handle: ({ params: { token }, body }, ctx) =>
    onInvitation(ctx, token, async (linked, stored, settings) => {
      const open = await openItems(linked.tx, stored.value);
      const at = Number(body.item);
      if (!open.includes(at)) return showMessage(linked.face, THANKS);
      const wrong = faultsOf(body);
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
      await take(linked, { stored, settings, at, body });
      const left = open.filter((place) => place !== at);
      return left.length === 0
        ? showMessage(linked.face, THANKS)
        : showMessage(
            linked.face,
            ["review_page.thanks", "review_page.submitted"],
            html`<p><a href="/api/public/reviews/${token}">${linked.face.say("review_page.more")}</a></p>`,
          );
    }),
});

const THANKS = ["review_page.thanks", "review_page.all_submitted"] as const;

async function onInvitation(
  ctx: Parameters<typeof onLink>[0],
  token: string,
  work: (linked: LinkContext, stored: Stored<Invitation>, settings: Settings) => Promise<Reply<never>>,
): Promise<Reply<never>> {
  return onLink(ctx, "reviews.invitation", token, async (linked) => {
    const stored = await linked.tx.get(invitations, linked.id);
    const isOver =
      stored === null ||
      stored.value.status === "cancelled" ||
      (stored.value.expires_at !== null && fromInstant(stored.value.expires_at) <= linked.env.now);
    if (isOver) return showMessage(linked.face, ["review_page.expired_title", "review_page.expired_text"]);
    const settings = await readSettings(linked.tx);
    const face = linked.face.with({ name: settings.shop_name, locale: stored.value.locale });
    return work({ ...linked, face }, stored, settings);
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
  { tx, env }: LinkContext,
  input: {
    readonly stored: Stored<Invitation>;
    readonly settings: Settings;
    readonly at: number;
    readonly body: Form;
  },
): Promise<void> {
  const { stored, settings, at, body } = input;
  const invitation = stored.value;
  const item = invitation.items[at];
  if (item === undefined) return;
  const isAnonymous = body.is_anonymous === "on" || body.display_name.trim() === "";
  await submitReview(
    tx,
    env,
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
      media: [],
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
      incentive: settings.invitations.incentive,
      relationship: "none",
      experienced_at: null,
      source: null,
      translations: {},
    },
    {
      verification: verifyInvitation(invitation.order_id, env.nowAt),
      invitation_id: invitation.id,
      is_trusted: true,
      address: null,
      form: body.website === "" ? null : "bad",
      submitted_at: null,
    },
  );
  const reviewed = [...new Set([...invitation.reviewed, at])].sort((a, b) => a - b);
  const next = tx.put(invitations, stored, { ...invitation, reviewed, updated_at: env.nowAt });
  if (reviewed.length === invitation.items.length && isOpen(invitation)) {
    await endInvitation(tx, env, next, { status: "submitted", reason: null });
  }
}

interface FormPage {
  readonly token: string;
  readonly invitation: Invitation;
  readonly settings: Settings;
  readonly open: readonly number[];
  readonly at: number;
  readonly given: Form | null;
  readonly wrong: readonly MessageKey[];
}

const STARS = ["5", "4", "3", "2", "1"] as const;

function formPage(face: Face, form: FormPage): Reply<never> {
  const { token, invitation, settings, open, at, given: input, wrong } = form;
  const { page, say } = face;
  const name = invitation.items[at]?.name ?? say("review_page.your_order");
  const { incentive } = settings.invitations;
  return page({
    title: say("review_page.title", { name }),
    status: wrong.length === 0 ? 200 : 422,
    body: html`<main>
      <h1>${name}</h1>
      ${wrong.map((fault) => html`<p class="note bad" role="alert">${say(fault)}</p>`)}
      ${incentive.type === "none" ? null : html`<p class="note">${say("review_page.incentive")}</p>`}
      <form method="post" action="/api/public/reviews/${token}">
        <input type="hidden" name="item" value="${at}" />
        <fieldset>
          <legend>${say("review_page.rating")}</legend>
          ${STARS.map(
            (value) =>
              html`<label class="check"
                ><input
                  type="radio"
                  name="rating"
                  value="${value}"
                  required
                  ${checked(input?.rating === value)}
                />
                ${say(`review_page.star${value}`)}</label
              >`,
          )}
        </fieldset>
        <label for="title">${say("review_page.title_label")}</label>
        <input id="title" name="title" type="text" maxlength="150" value="${input?.title ?? ""}" />
        <label for="body">${say("review_page.body")}</label>
        <textarea id="body" name="body" maxlength="5000">${input?.body ?? ""}</textarea>
        <fieldset>
          <legend>${say("review_page.recommend")}</legend>
          <label class="check"
            ><input type="radio" name="recommends" value="yes" ${checked(input?.recommends === "yes")} />
            ${say("yes")}</label
          >
          <label class="check"
            ><input type="radio" name="recommends" value="no" ${checked(input?.recommends === "no")} />
            ${say("no")}</label
          >
        </fieldset>
        <label for="display_name">${say("review_page.display_name")}</label>
        <input
          id="display_name"
          name="display_name"
          type="text"
          maxlength="100"
          autocomplete="given-name"
          value="${input?.display_name ?? invitation.customer.name}"
        />
        <label class="check"
          ><input type="checkbox" name="is_anonymous" ${checked(input?.is_anonymous === "on")} />
          ${say("review_page.hide_name")}</label
        >
        <p class="away" aria-hidden="true">
          <label for="website">${say("trap")}</label
          ><input id="website" name="website" type="text" tabindex="-1" autocomplete="off" />
        </p>
        <button>${say("review_page.send")}</button>
      </form>
      ${others(
        face,
        form,
        open.filter((place) => place !== at),
      )}
    </main>`,
  });
}

const checked = (isChecked: boolean): Html | null => (isChecked ? html`checked` : null);

const others = (
  { say }: Face,
  { token, invitation: { items } }: FormPage,
  places: readonly number[],
): Html | null =>
  places.length === 0
    ? null
    : html`<p class="soft">${say("review_page.or_more")}</p>
        <ul>
          ${places.map(
            (at) =>
              html`<li><a href="/api/public/reviews/${token}?item=${at}">${items[at]?.name ?? ""}</a></li>`,
          )}
        </ul>`;

export const publicFormRoutes = [show, send];
