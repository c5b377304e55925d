import { z } from "zod";

import { LIMITS } from "../../../core/limits.ts";
import type { Face } from "../../../core/face.ts";
import { FileContent } from "../../../core/file-content.ts";
import { findMissing } from "../../../core/optional-packages.ts";
import type { Reply } from "../../../core/reply.ts";
import type { MessageKey } from "../../../core/words.ts";
import type { Html } from "../../../lib/html.ts";
import { html } from "../../../lib/html.ts";
import { offeredIn } from "../rules/plan-invitation.ts";
import type { Invitation } from "../schema/invitation.ts";
import type { Settings } from "../schema/settings.ts";
import { PHOTOS_MAX } from "../services/photos.ts";

const Upload = z.strictObject({ name: z.string(), content: FileContent });
/** All values are strings: errors are shown on the page, next to the input. */
export const Form = z.strictObject({
  item: z.string().max(3).default("0"),
  rating: z.string().max(3).default(""),
  title: z.string().max(1000).default(""),
  body: z.string().max(20_000).default(""),
  display_name: z.string().max(1000).default(""),
  recommends: z.string().max(5).default(""),
  is_anonymous: z.string().max(5).default(""),
  /** Honeypot: hidden, so only bots fill it in. */
  website: z.string().max(1000).default(""),
  /** One file, several, or an input that was left empty. */
  photos: z
    .union([Upload, z.array(Upload).max(LIMITS.multipartParts), z.literal("").transform(() => [])])
    .default([])
    .transform((sent) => [sent].flat()),
});
export type Form = z.output<typeof Form>;

interface FormPage {
  readonly token: string;
  readonly invitation: Invitation;
  readonly settings: Settings;
  readonly open: readonly number[];
  readonly at: number;
  readonly given: Form | null;
  readonly wrong: readonly MessageKey[];
}

const STARS = ["1", "2", "3", "4", "5"] as const;

const photosInput = ({ say }: Face): Html =>
  html`<label for="photos">${say("review_page.photos")}</label>
    <input
      id="photos"
      name="photos"
      type="file"
      accept="image/jpeg,image/png,image/webp"
      multiple
      aria-describedby="photos-hint"
    />
    <p class="hint" id="photos-hint">${say("review_page.photos_hint", { count: PHOTOS_MAX })}</p>`;

/** The form for one item of an invitation. */
export function formPage(face: Face, form: FormPage): Reply<never> {
  const { token, invitation, settings, open, at, given: input, wrong } = form;
  const { page, say } = face;
  const name = invitation.items[at]?.name ?? say("review_page.your_order");
  const incentive = offeredIn(invitation, settings);
  return page({
    title: say("review_page.title", { name }),
    status: wrong.length === 0 ? 200 : 422,
    body: html`<main>
      <h1>${name}</h1>
      ${wrong.map((fault) => html`<p class="note bad" role="alert">${say(fault)}</p>`)}
      ${incentive.type === "none" ? null : html`<p class="note">${say("review_page.incentive")}</p>`}
      <form method="post" action="/api/public/reviews/${token}" enctype="multipart/form-data">
        <input type="hidden" name="item" value="${at}" />
        <fieldset class="stars">
          <legend>${say("review_page.rating")}</legend>
          ${STARS.map(
            (value) =>
              html`<label
                ><input
                  type="radio"
                  name="rating"
                  value="${value}"
                  required
                  ${checked(input?.rating === value)}
                /><span>${say(`review_page.star${value}`)}</span></label
              >`,
          )}
        </fieldset>
        <label for="title">${say("review_page.title_label")}</label>
        <input id="title" name="title" type="text" maxlength="150" value="${input?.title ?? ""}" />
        <label for="body">${say("review_page.body")}</label>
        <textarea id="body" name="body" maxlength="5000">${input?.body ?? ""}</textarea>
        ${findMissing("pictures") === null ? photosInput(face) : null}
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
