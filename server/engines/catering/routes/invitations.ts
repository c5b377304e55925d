import { z } from "zod";

import { DEMO_IDS } from "../data/demo-ids.ts";
import { invalidField } from "../../../lib/errors.ts";
import { ok } from "../../../core/reply.ts";
import { defineRoute, missing } from "../../../core/route.ts";
import { Id, LocalDate } from "../../../core/schema.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { todayOf } from "../services/invoice-steps.ts";
import { linkTo, rsvpMail } from "../services/mails.ts";
import { invalidState, mail } from "../services/work.ts";
import type { CateringWork } from "../services/work.ts";
import { headcountSources, rsvpId, rsvps } from "../repository.ts";
import { tallyRsvps } from "../rules/tally-rsvps.ts";
import { Rsvp } from "../schema/headcount.ts";
import type { HeadcountSource } from "../schema/headcount.ts";
import { CATERING_LIMITS, Email, OrderDietary, Text } from "../schema/parts.ts";
import { badState, cateringWorkOf } from "./env.ts";
import { newResource } from "../../../lib/new-resource.ts";

const params = { id: DEMO_IDS.source };

/** Each is a document and a mail with their index entries. */
const PEOPLE_PER_COMMIT = 30;

const invite = defineRoute({
  id: "catering.headcount-sources.invite",
  method: "POST",
  path: "/headcount-sources/:id/invitations",
  summary: "Ask people whether they come on a day",
  description:
    "Each gets a mail with a link of their own. A person who was already invited is not invited again.",
  body: z.strictObject({
    date: LocalDate,
    title: Text.optional(),
    people: z
      .array(z.strictObject({ name: Text, email: Email }))
      .min(1)
      .max(CATERING_LIMITS.invitations),
  }),
  data: z.strictObject({ invited: z.int(), known: z.int() }),
  errors: [badState],
  example: {
    params,
    body: { date: "2026-06-09", people: [{ name: "Ada Byron", email: "ada@office.example" }] },
  },
  async handle({ params: { id }, body }, ctx) {
    let invited = 0;
    for (let start = 0; start < body.people.length; start += PEOPLE_PER_COMMIT) {
      const people = body.people.slice(start, start + PEOPLE_PER_COMMIT);
      invited += await ctx.runTx(ctx.tx.part, async (tx) => {
        const source = await invitingSource(tx, id);
        const work = await cateringWorkOf({ ...ctx, tx });
        if (body.date < todayOf(work)) throw invalidField(["date"], "Must not be in the past.");
        let count = 0;
        for (const person of people) {
          const title = body.title ?? source.value.title;
          if (await inviteOne(work, source, { ...person, date: body.date, title })) count += 1;
        }
        return count;
      });
    }
    return ok({ invited, known: body.people.length - invited });
  },
});

/** A source whose links take answers; throws 409 for others. */
async function invitingSource(tx: Tx, id: string): Promise<Stored<HeadcountSource>> {
  const source = await tx.require(headcountSources, id);
  const { kind, status } = source.value;
  if (kind !== "rsvp") throw invalidState(`A source of kind ${kind} has no invitations.`);
  if (status === "archived") throw invalidState("The source is archived: its links take no answers.");
  return source;
}

async function inviteOne(
  work: CateringWork,
  source: Stored<HeadcountSource>,
  { date, email, name, title }: Pick<Rsvp, "date" | "name" | "title"> & { readonly email: string },
): Promise<boolean> {
  const { nowAt, tx } = work;
  const id = rsvpId(source.id, date, email);
  if ((await tx.get(rsvps, id)) !== null) return false;
  tx.create(rsvps, {
    ...newResource(id, nowAt),
    source_id: source.id,
    date,
    title,
    name,
    email,
    answer: "none",
    guests: 0,
    dietary: [],
    answered_at: null,
  });
  const link = linkTo(work, "rsvp", [id]);
  await mail(work, { about: ["rsvp", id], to: email, ...rsvpMail(work, { link, name, title, date }) });
  return true;
}

const groupLink = defineRoute({
  id: "catering.headcount-sources.group-link",
  method: "GET",
  path: "/headcount-sources/:id/group-links/:date",
  summary: "One link by which a whole group says who comes on a day",
  description:
    "Put it where the group reads it. Everybody answers with their name; an e-mail address is theirs to give, and counts " +
    "once. Archiving the source ends the link.",
  params: z.object({ id: Id, date: LocalDate }),
  data: z.strictObject({ url: z.url() }),
  errors: [missing, badState],
  example: {
    params: { id: DEMO_IDS.source, date: "2026-06-09" },
  },
  async handle({ params: { id, date } }, ctx) {
    await invitingSource(ctx.tx, id);
    return ok({ url: linkTo(await cateringWorkOf(ctx), "group", [id, date]) });
  },
});

const listAnswers = defineRoute({
  id: "catering.headcount-sources.answers",
  method: "GET",
  path: "/headcount-sources/:id/answers/:date",
  summary: "Who comes on a day",
  params: z.object({ id: Id, date: LocalDate }),
  data: z.strictObject({ count: z.int(), answered: z.int(), dietary: OrderDietary, people: z.array(Rsvp) }),
  errors: [missing],
  example: {
    params: { id: DEMO_IDS.source, date: "2026-06-09" },
  },
  async handle({ params: { id, date } }, { tx }) {
    await tx.require(headcountSources, id);
    const found = (await tx.peekAll(rsvps, { index: "day", value: `${id}.${date}` })).map(
      ({ value }) => value,
    );
    const { answered, count, dietary } = tallyRsvps(found);
    return ok({ count, answered, dietary, people: found });
  },
});

export const invitationRoutes = [invite, groupLink, listAnswers];
