import { z } from "zod";

import { linkParams, unknownLink } from "../../../core/link-page.ts";
import { html } from "../../../lib/html.ts";
import type { Reply } from "../../../core/reply.ts";
import type { OpenCtx } from "../../../core/route.ts";
import { defineOpenRoute } from "../../../core/route.ts";
import type { Stored } from "../../../core/tx.ts";
import { todayOf } from "../services/invoice-steps.ts";
import { followAnswer, isClosed } from "../services/late-answers.ts";
import { rsvps } from "../repository.ts";
import type { MessageKey } from "../../../core/words.ts";
import type { Rsvp } from "../schema/headcount.ts";
import { onLink } from "./env.ts";
import { deadEnd, link, page } from "./page.ts";
import type { PageWork } from "./page.ts";
import { answerFields, answerInputs, readAnswer } from "./rsvp-form.ts";

const Form = z.strictObject(answerFields);

const show = defineOpenRoute({
  id: "public.rsvp.show",
  method: "GET",
  path: "/rsvp/:token",
  summary: "The page on which a guest answers an invitation",
  ...link("rsvp"),
  example: { params: linkParams },
  handle: ({ params: { token } }, ctx) =>
    onRsvp(ctx, token, async (work, { value }) => rsvpPage(work, value, { token, wrong: null })),
});

const answer = defineOpenRoute({
  id: "public.rsvp.answer",
  method: "POST",
  path: "/rsvp/:token",
  summary: "Come or not, with guests and dietary needs; the last answer counts",
  ...link("rsvp"),
  body: Form,
  form: true,
  example: { params: linkParams, body: { action: "accept", guests: "1", dietary: "vegan" } },
  handle: ({ params: { token }, body }, ctx) =>
    onRsvp(ctx, token, async (work, stored) => {
      if (stored.value.date < todayOf(work)) {
        return rsvpPage(work, stored.value, { token, wrong: "rsvp.passed" });
      }
      const said = readAnswer(body);
      if (typeof said === "string") return rsvpPage(work, stored.value, { token, wrong: said });
      const now = { answered_at: work.nowAt, updated_at: work.nowAt };
      const next = work.tx.put(rsvps, stored, { ...stored.value, ...said, ...now });
      await followAnswer(work, stored.value, next.value);
      return rsvpPage(work, next.value, { token, wrong: null });
    }),
});

async function onRsvp(
  ctx: OpenCtx,
  token: string,
  handle: (work: PageWork, stored: Stored<Rsvp>) => Promise<Reply<never>>,
): Promise<Reply<never>> {
  return onLink(ctx, "rsvp", token, async (work, [id = ""]) => {
    const stored = await work.tx.get(rsvps, id);
    if (stored === null) throw unknownLink();
    if (await isClosed(work, stored.value)) return closedPage(work);
    return handle(work, stored);
  });
}

/** The page that takes no answers any more. */
export const closedPage = (work: PageWork): Reply<never> =>
  deadEnd(work, 410, ["rsvp.closed_title", "rsvp.closed_text"]);

interface PageOfOne {
  readonly token: string;
  readonly wrong: MessageKey | null;
  /** The kind of the link: the person came by that of a group. */
  readonly isFirst?: boolean;
}

/** The page of one person, who has a link of their own. */
export function rsvpPage(
  work: PageWork,
  rsvp: Rsvp,
  { isFirst = false, token, wrong }: PageOfOne,
): Reply<never> {
  const { date, say } = work.face;
  const said = { none: null, accepted: "rsvp.coming", declined: "rsvp.not_coming" } as const;
  const answered = said[rsvp.answer];
  const isOver = rsvp.date < todayOf(work);
  return page(work, {
    title: rsvp.title,
    status: wrong === null ? 200 : 422,
    body: html`<h1>${rsvp.title}</h1>
      <p>${date(rsvp.date, "full")}</p>
      ${wrong === null ? null : html`<p class="note bad" role="alert">${say(wrong)}</p>`}
      ${answered === null ? null : html`<p class="note good" role="status">${say(answered)}</p>`}
      ${
        isFirst
          ? html`<p>
              <a href="/api/public/rsvp/${token}">${say("rsvp.keep_link")}</a>. ${say("rsvp.keep_why")}
            </p>`
          : null
      }
      ${
        isOver
          ? html`<p>${say("rsvp.passed")}</p>`
          : html`<form method="post" action="/api/public/rsvp/${token}">
              <p>${say("rsvp.ask", { name: rsvp.name })}</p>
              ${answerInputs(work.face, rsvp)}
            </form>`
      }`,
  });
}

export const publicRsvpRoutes = [show, answer];
