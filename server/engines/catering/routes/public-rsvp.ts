import { z } from "zod";

import { html } from "../../../kernel/html.ts";
import type { OpenCtx, Reply } from "../../../kernel/route.ts";
import { defineOpenRoute } from "../../../kernel/route.ts";
import type { Stored } from "../../../kernel/tx.ts";
import { todayOf } from "../jobs/invoice-steps.ts";
import { shopName } from "../jobs/world.ts";
import type { World } from "../jobs/world.ts";
import { rsvps } from "../repository.ts";
import { openToken } from "../rules/link-token.ts";
import { showDate } from "../rules/show.ts";
import { Rsvp } from "../schema/headcount.ts";
import { linkedWorld } from "./env.ts";
import { page, unknownLink } from "./page.ts";

const Params = z.object({ token: z.string().max(400) });
const params = { token: "c3RvXzAxCmNyc18wMQ.2f7pX1c0mQ3n5s8v0aB4dE6gH9jK2lM5oP8rS1tU4w" };
const Form = z.strictObject({
  action: z.enum(["accept", "decline"]),
  guests: z.string().max(10).default("0"),
  dietary: z.string().max(300).default(""),
});

const show = defineOpenRoute({
  id: "public.rsvp.show",
  method: "GET",
  path: "/rsvp/:token",
  summary: "The page on which somebody says whether they come",
  params: Params,
  data: z.string(),
  rawType: "text/html",
  hidden: true,
  example: { params },
  handle: ({ params: { token } }, ctx) =>
    onRsvp(ctx, token, async (world, { value }) => rsvpPage(world, value, { token, wrong: null })),
});

const answer = defineOpenRoute({
  id: "public.rsvp.answer",
  method: "POST",
  path: "/rsvp/:token",
  summary: "Come or not, with guests and dietary needs; the last answer counts",
  params: Params,
  body: Form,
  data: z.string(),
  rawType: "text/html",
  form: true,
  hidden: true,
  example: { params, body: { action: "accept", guests: "1", dietary: "vegan" } },
  handle: ({ params: { token }, body }, ctx) =>
    onRsvp(ctx, token, async (world, stored) => {
      if (stored.value.date < todayOf(world)) {
        return rsvpPage(world, stored.value, { token, wrong: "The day has passed." });
      }
      const guests = Rsvp.shape.guests.safeParse(Number(body.guests === "" ? "0" : body.guests));
      const dietary = Rsvp.shape.dietary.safeParse(codesOf(body.dietary));
      if (!guests.success || !dietary.success) {
        const wrong = guests.success ? "Name at most ten dietary needs." : "Bring 0 to 20 guests.";
        return rsvpPage(world, stored.value, { token, wrong });
      }
      const isComing = body.action === "accept";
      const next = world.tx.put(rsvps, stored, {
        ...stored.value,
        answer: isComing ? "accepted" : "declined",
        guests: isComing ? guests.data : 0,
        dietary: isComing ? dietary.data : [],
        answered_at: world.nowAt,
        updated_at: world.nowAt,
      });
      return rsvpPage(world, next.value, { token, wrong: null });
    }),
});

const codesOf = (text: string): string[] => [
  ...new Set(
    text
      .toLowerCase()
      .split(",")
      .map((code) => code.trim())
      .filter((code) => code !== ""),
  ),
];

async function onRsvp(
  ctx: OpenCtx,
  token: string,
  work: (world: World, stored: Stored<Rsvp>) => Promise<Reply<never>>,
): Promise<Reply<never>> {
  const target = openToken(ctx.ports, "rsvp", token);
  if (target === null) return unknownLink();
  return ctx.runTx(target.part, async (tx) => {
    const stored = await tx.get(rsvps, target.names[0] ?? "");
    return stored === null ? unknownLink() : work(await linkedWorld(ctx, tx), stored);
  });
}

function rsvpPage(
  world: World,
  rsvp: Rsvp,
  { token, wrong }: { readonly token: string; readonly wrong: string | null },
): Reply<never> {
  const said = { none: null, accepted: "You are coming. Thank you.", declined: "You are not coming." }[
    rsvp.answer
  ];
  const isOver = rsvp.date < todayOf(world);
  return page({
    title: rsvp.title,
    status: wrong === null ? 200 : 422,
    body: html`<p class="soft">${shopName(world.settings)}</p>
      <h1>${rsvp.title}</h1>
      <p>${showDate(rsvp.date)}</p>
      ${wrong === null ? null : html`<p class="note bad" role="alert">${wrong}</p>`}
      ${said === null ? null : html`<p class="note good" role="status">${said}</p>`}
      ${
        isOver
          ? html`<p>The day has passed.</p>`
          : html`<form method="post" action="/api/public/rsvp/${token}">
              <p>${rsvp.name}, will you be there? You can change your answer until the day.</p>
              <label for="guests">Guests that you bring</label>
              <input id="guests" name="guests" type="number" min="0" max="20" value="${rsvp.guests}" />
              <label for="dietary">Dietary needs, with commas between</label>
              <input
                id="dietary"
                name="dietary"
                type="text"
                maxlength="300"
                value="${rsvp.dietary.join(", ")}"
              />
              <button name="action" value="accept">I am coming</button>
              <button class="quiet" name="action" value="decline">I am not coming</button>
            </form>`
      }`,
  });
}

export const publicRsvpRoutes = [show, answer];
