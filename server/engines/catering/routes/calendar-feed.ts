import { z } from "zod";

import { linkErrors, LinkParams, linkPart, unknownLink } from "../../../core/link-page.ts";
import { readEach } from "../../../core/read-page.ts";
import { ok, raw } from "../../../core/reply.ts";
import { defineOpenRoute, defineRoute } from "../../../core/route.ts";
import type { Reply } from "../../../core/reply.ts";
import type { Tx } from "../../../core/tx.ts";
import { linkTo } from "../services/mails.ts";
import { shopName } from "../services/work.ts";
import type { CateringWork } from "../services/work.ts";
import { cateringSettings, orders } from "../repository.ts";
import { addDays, localDateAt, toEpochMs } from "../../../lib/local-time.ts";
import { toInstant } from "../../../lib/instant.ts";
import { writeCalendar, writeEvent } from "../rules/write-calendar.ts";
import type { FeedEvent } from "../rules/write-calendar.ts";
import type { Order } from "../schema/order.ts";
import { onLink, cateringWorkOf } from "./env.ts";

const FeedView = z.strictObject({ url: z.url(), generation: z.int() });

const viewOf = (work: CateringWork) => {
  const generation = work.settings.feed_generation;
  return { url: linkTo(work, "feed", [String(generation)]), generation };
};

const get = defineRoute({
  id: "catering.calendar-feed.get",
  method: "GET",
  path: "/calendar-feed",
  scope: "manage",
  summary: "Show the secret address of the orders as a calendar",
  description:
    "A calendar program subscribes to it. Everyone with the address can read the orders; renewing it ends the old one.",
  data: FeedView,
  handle: async (_input, ctx) => ok(viewOf(await cateringWorkOf(ctx))),
});

const renew = defineRoute({
  id: "catering.calendar-feed.renew",
  method: "POST",
  path: "/calendar-feed/renew",
  scope: "manage",
  summary: "Renew the address of the calendar; the old one stops working",
  data: FeedView,
  async handle(_input, ctx) {
    const { feed_generation: before } = await cateringSettings.read(ctx.tx);
    const { value: settings } = await cateringSettings.save(
      ctx.tx,
      { feed_generation: before + 1 },
      ctx.nowAt,
    );
    return ok(viewOf({ ...(await cateringWorkOf(ctx)), settings }));
  },
});

/** Name of the calendar of all orders. */
const FEED = /^feed\.(.+)\.ics$/;

const feed = defineOpenRoute({
  id: "public.calendars.show",
  method: "GET",
  path: "/calendars/:token",
  // That of one order costs little, and its customer may open it at any time.
  paidBy: ({ params: { token } }, ctx) => {
    const [, signed] = FEED.exec(token) ?? [];
    return signed === undefined ? null : linkPart("catering.feed")({ params: { token: signed } }, ctx);
  },
  summary: "Orders as an iCalendar text: those of a store, or the one that a customer placed",
  params: LinkParams,
  data: z.string(),
  rawType: "text/calendar",
  errors: linkErrors,
  hidden: true,
  example: {
    params: { token: "feed.c3RvXzAxCjA.2f7pX1c0mQ3n5s8v0aB4dE6gH9jK2lM5oP8rS1tU4w.ics" },
  },
  async handle({ params: { token } }, ctx) {
    const [, kind, signed = ""] = /^(feed|order)\.(.+)\.ics$/.exec(token) ?? [];
    return onLink(ctx, kind === "order" ? "order" : "feed", signed, async (work, [name = ""]) => {
      const { tx } = work;
      if (kind === "order") return oneOrder(work, tx, name);
      // A renewed address makes the old one invalid.
      if (name !== String(work.settings.feed_generation)) throw unknownLink();
      return calendar(shopName(work.settings, work.words), await feedEvents(work, tx));
    });
  },
});

async function oneOrder(work: CateringWork, tx: Tx, id: string): Promise<Reply<never>> {
  const order = await tx.get(orders, id);
  if (order === null) throw unknownLink();
  const event = toEvent(work, { value: order.value, version: order.version });
  // What the kitchen notes is not for the customer.
  return calendar(shopName(work.settings, work.words), [
    writeEvent({ ...event, summary: order.value.title, description: "" }),
  ]);
}

const PAST_DAYS = 30;
const FEED_MAX = 1_000;

/** Orders by day. Where there are too many, those that are to come are in it, and the oldest. */
async function feedEvents(work: CateringWork, tx: Tx): Promise<string[]> {
  const today = localDateAt(work.now, work.settings.timezone);
  const coming = await eventsIn(work, tx, { from: addDays(today, -1), to: "9999", most: FEED_MAX });
  const [from, to] = [addDays(today, -PAST_DAYS), addDays(today, -2)];
  return [...(await eventsIn(work, tx, { from, to, most: FEED_MAX - coming.length })), ...coming];
}

async function eventsIn(
  work: CateringWork,
  tx: Tx,
  { from, most, to }: { readonly from: string; readonly to: string; readonly most: number },
): Promise<string[]> {
  const events: string[] = [];
  const page: Tx["peekPage"] = (collection, query) => tx.peekPage(collection, query);
  for await (const order of readEach(tx.part, orders, { index: "event", from }, page)) {
    if (events.length === most || order.value.event.date > to) break;
    events.push(writeEvent(toEvent(work, order)));
  }
  return events;
}

const STATUS: Readonly<Record<Order["status"], FeedEvent["status"]>> = {
  tentative: "TENTATIVE",
  confirmed: "CONFIRMED",
  locked: "CONFIRMED",
  in_production: "CONFIRMED",
  dispatched: "CONFIRMED",
  delivered: "CONFIRMED",
  invoiced: "CONFIRMED",
  paid: "CONFIRMED",
  cancelled: "CANCELLED",
};

function toEvent(
  { words }: CateringWork,
  { value: order, version }: { readonly value: Order; readonly version: number },
): FeedEvent {
  const { date, end, site, start, timezone } = order.event;
  const endDate = end > start ? date : addDays(date, 1);
  const diets = order.dietary.map(({ code, count }) => `${count} ${code}`).join(", ");
  // As a form asked for them: how many guests they apply to is not known.
  const { allergens = "", dietary = "" } = order.metadata;
  return {
    uid: `${order.id}@catering`,
    starts_at: order.starts_at,
    ends_at: toInstant(toEpochMs(endDate, end, timezone)),
    changed_at: order.updated_at,
    sequence: version,
    summary: `${order.number}: ${order.title} (${words.say("catering.heads", { count: order.headcount.billed })})`,
    location: site,
    description: [order.contact.company, order.contact.name, diets, dietary, allergens, order.notes]
      .filter((text) => text !== "")
      .join("\n"),
    status: STATUS[order.status],
  };
}

const calendar = (name: string, events: readonly string[]): Reply<never> =>
  raw("text/calendar; charset=utf-8", writeCalendar(name, events), {
    headers: { "Content-Disposition": 'inline; filename="catering.ics"', "Referrer-Policy": "no-referrer" },
  });

export const calendarFeedRoutes = [get, renew];
export const publicCalendarRoutes = [feed];
