import { isDeepStrictEqual } from "node:util";
import { z } from "zod";

import { makeToken } from "../../../core/link-token.ts";
import { linkParams, unknownLink } from "../../../core/link-page.ts";
import { html } from "../../../lib/html.ts";
import type { Reply } from "../../../core/reply.ts";
import type { OpenCtx } from "../../../core/route.ts";
import { defineOpenRoute } from "../../../core/route.ts";
import { LocalDate } from "../../../core/schema.ts";
import type { Stored } from "../../../core/tx.ts";
import { todayOf } from "../services/invoice-steps.ts";
import { followAnswer, isClosed } from "../services/late-answers.ts";
import { linkTo, rsvpMail } from "../services/mails.ts";
import { mail } from "../services/work.ts";
import { headcountSources, nextNumber, rsvpId, rsvps } from "../repository.ts";
import type { MessageKey } from "../../../core/words.ts";
import type { HeadcountSource, Rsvp } from "../schema/headcount.ts";
import { CATERING_LIMITS, Email, Text } from "../schema/parts.ts";
import { onLink } from "./env.ts";
import { link, page } from "./page.ts";
import type { PageWork } from "./page.ts";
import { closedPage, rsvpPage } from "./public-rsvp.ts";
import { answerFields, answerInputs, readAnswer } from "./rsvp-form.ts";

const Form = z.strictObject({
  name: z.string().max(300).default(""),
  email: z.string().max(300).default(""),
  /** Made with the page: who sends a page twice is one person, without a cookie. */
  person: z.string().regex(/^[A-Za-z0-9_]{8,40}$/),
  ...answerFields,
});
type Form = z.output<typeof Form>;

const show = defineOpenRoute({
  id: "public.group-rsvp.show",
  method: "GET",
  path: "/group-rsvp/:token",
  summary: "The page on which each of a group says whether they come",
  ...link("group"),
  example: { params: linkParams },
  handle: ({ params: { token } }, ctx) =>
    onDay(ctx, token, async (day) => groupPage(day, { ...BLANK, person: ctx.newId("psn") })),
});

const answer = defineOpenRoute({
  id: "public.group-rsvp.answer",
  method: "POST",
  path: "/group-rsvp/:token",
  summary: "Come or not, by name; each person counts once",
  ...link("group"),
  body: Form,
  form: true,
  example: {
    params: linkParams,
    body: { name: "Ada Byron", person: "psn_01JD8Z5T9QK3M4N5P6R7S8T9V0", action: "accept", guests: "1" },
  },
  handle: ({ params: { token }, body }, ctx) => onDay(ctx, token, (day) => take(day, body)),
});

/** A day of a source for which a group is asked. */
interface Day {
  readonly work: PageWork;
  readonly source: HeadcountSource;
  readonly date: string;
  readonly token: string;
}

async function onDay(
  ctx: OpenCtx,
  token: string,
  handle: (day: Day) => Promise<Reply<never>>,
): Promise<Reply<never>> {
  return onLink(ctx, "group", token, async (work, [id = "", date = ""]) => {
    const source = await work.tx.get(headcountSources, id);
    if (source === null || !LocalDate.safeParse(date).success) throw unknownLink();
    if (await isClosed(work, { source_id: id, date })) return closedPage(work);
    return handle({ work, source: source.value, date, token });
  });
}

/** Accepts an answer. A guest with an answer changes it by their own link only: anyone may type any address. */
async function take(day: Day, form: Form): Promise<Reply<never>> {
  const { date, source, work } = day;
  const again = (wrong: MessageKey) => groupPage(day, form, wrong);
  if (date < todayOf(work)) return again("rsvp.passed");
  const name = Text.safeParse(form.name);
  if (!name.success) return again("rsvp.name");
  const typed = form.email.trim();
  const email = typed === "" ? null : Email.safeParse(typed);
  if (email?.success === false) return again("rsvp.bad_email");
  const said = readAnswer(form);
  if (typeof said === "string") return again(said);

  const address = email?.data ?? null;
  const id = rsvpId(source.id, date, address ?? `person:${form.person}`);
  const before = await work.tx.get(rsvps, id);
  if (before !== null && address !== null) return known(day, before, { ...said, name: name.data });
  if (before === null && (await isFull(day))) return again("rsvp.full");
  const next: Rsvp = {
    ...(before?.value ?? { id, created_at: work.nowAt, source_id: source.id, date, title: source.title }),
    ...said,
    name: name.data,
    email: address,
    answered_at: work.nowAt,
    updated_at: work.nowAt,
  };
  work.tx.save(rsvps, before, next);
  await followAnswer(work, before?.value ?? null, next);
  const own = makeToken(work.ports, "catering.rsvp", work.part, id);
  return rsvpPage(work, next, { token: own, wrong: null, isFirst: true });
}

const isFull = async ({ date, source, work }: Day): Promise<boolean> =>
  (await nextNumber(work.tx, `answers.${source.id}.${date}`)) > CATERING_LIMITS.groupAnswers;

/** The link causes mails to any address: they must not take those of a day from the shop. */
const mayMail = async ({ date, source, work }: Omit<Day, "token">): Promise<boolean> =>
  (await nextNumber(work.tx, `mails.${source.id}.${date}`)) <= CATERING_LIMITS.groupMails;

/** Sends the link of the one who has the address, at most once a day; a form that was sent twice says nothing new. */
async function known(
  { date, source, work }: Day,
  { id, value }: Stored<Rsvp>,
  said: Pick<Rsvp, "answer" | "dietary" | "guests" | "name">,
): Promise<Reply<never>> {
  const { answer: before, dietary, email, guests, name } = value;
  const isSame = isDeepStrictEqual(said, { answer: before, dietary, guests, name });
  const isMailed =
    !isSame && email !== null && work.settings.send_mail && (await mayMail({ date, source, work }));
  if (isMailed) {
    const link = linkTo(work, "rsvp", [id]);
    const about = ["rsvp", "again", id, todayOf(work)];
    const storeMail = rsvpMail(work, { link, name, title: value.title, date });
    await mail(work, { about, to: email, ...storeMail });
  }
  const note = isMailed ? "rsvp.known_mail" : "rsvp.known";
  return page(work, {
    title: source.title,
    body: html`<h1>${source.title}</h1>
      <p>${work.face.date(date, "full")}</p>
      <p class="note${isSame ? " good" : ""}" role="status">
        ${work.face.say(isSame ? "rsvp.answered" : note)}
      </p>`,
  });
}

type Filled = Pick<Form, "name" | "email" | "person" | "guests" | "dietary">;
const BLANK = { name: "", email: "", guests: "0", dietary: "" };

async function groupPage(
  { date, source, token, work }: Day,
  filled: Filled,
  wrong: MessageKey | null = null,
): Promise<Reply<never>> {
  const isOver = date < todayOf(work);
  const { say } = work.face;
  return page(work, {
    title: source.title,
    status: wrong === null ? 200 : 422,
    body: html`<h1>${source.title}</h1>
      <p>${work.face.date(date, "full")}</p>
      ${wrong === null ? null : html`<p class="note bad" role="alert">${say(wrong)}</p>`}
      ${
        isOver
          ? html`<p>${say("rsvp.passed")}</p>`
          : html`<form method="post" action="/api/public/group-rsvp/${token}">
              <p>${say("rsvp.ask_group")}</p>
              <input type="hidden" name="person" value="${filled.person}" />
              <label for="name">${say("your_name")}</label>
              <input
                id="name"
                name="name"
                type="text"
                maxlength="200"
                autocomplete="name"
                required
                value="${filled.name}"
              />
              <label for="email">${say("rsvp.email_optional")}</label>
              <input
                id="email"
                name="email"
                type="email"
                maxlength="254"
                autocomplete="email"
                value="${filled.email}"
              />
              ${answerInputs(work.face, { guests: Number(filled.guests) || 0, dietary: [filled.dietary] })}
            </form>`
      }`,
  });
}

export const publicGroupRsvpRoutes = [show, answer];
