import { z } from "zod";

import { accepted, empty, item, list, made, ok } from "../../core/reply.ts";
import { ListQuery } from "../../core/schema.ts";
import { defineOperationsRoute } from "../context.ts";
import type { OperationsCtx } from "../context.ts";
import { mayReadEvents, requireEvents } from "../data-scopes.ts";
import { deliveries, Delivery, endpoints, Replay, replays } from "./collections.ts";
import {
  addEndpoint,
  changeEndpoint,
  disableEndpoint,
  enableEndpoint,
  removeAbandoned,
  removeEndpoint,
  resend,
  rotateSecret,
} from "./endpoints.ts";
import { prepare, readable, requireEndpoint, requireOf } from "./checks.ts";
import { eventTypesRoute } from "./event-types-route.ts";
import { listenerRoutes } from "./listener-routes.ts";
import { requireEnabled, startReplay } from "./replay.ts";
import { stageTest } from "./test-event.ts";
import {
  EXAMPLE_DELIVERY,
  EXAMPLE_ENDPOINT,
  EXAMPLE_REPLAY,
  DeliveryView,
  disabledError,
  EndpointView,
  AccountEndpointBody,
  EndpointPatch,
  IssuedEndpointView,
  limitError,
  liveError,
  ReplayBody,
  ReplayView,
  runningError,
  RotatedSecretView,
  RotateSecretBody,
  TestBody,
} from "./views.ts";

/** What the handlers need to know of the partition that a request is about. */
const workOf = ({ deps, now }: OperationsCtx) => ({ now, newId: deps.newId, random: deps.random });
const at = (id: string): string => `/webhooks/${id}`;
const example = { params: { id: EXAMPLE_ENDPOINT } };

const listEndpoints = defineOperationsRoute({
  id: "account.webhooks.list",
  method: "GET",
  path: "/webhooks",
  summary: "List webhook endpoints, newest first",
  query: ListQuery,
  data: z.array(EndpointView),
  example: {},
  async handle({ query }, ctx) {
    const page = await ctx.tx.peekPage(endpoints, query);
    return list({ ...page, items: page.items.filter(({ value }) => mayReadEvents(ctx, value.types)) });
  },
});

const createEndpoint = defineOperationsRoute({
  id: "account.webhooks.create",
  method: "POST",
  path: "/webhooks",
  summary: "Create a webhook endpoint",
  description:
    "Deliveries follow Standard Webhooks: verify `webhook-id`, `webhook-timestamp` and `webhook-signature` with the secret, which is shown only once. Test keys manage endpoints of the test data. `GET /v1/account/event-types` lists the event types; `reviews.*` matches all types of an engine, `*` matches all.",
  body: AccountEndpointBody,
  data: IssuedEndpointView,
  status: 201,
  sensitive: true,
  errors: [limitError],
  example: {
    body: {
      url: "https://orders.shop.example/webhooks",
      description: "Order desk",
      types: ["catering.*"],
    },
  },
  async handle({ body }, ctx) {
    await prepare(ctx, body);
    requireEvents(ctx, body.types);
    await removeAbandoned(ctx.tx, ctx.now);
    const { endpoint, secret } = await addEndpoint(ctx.tx, workOf(ctx), body);
    return made({ ...endpoint.value, secret }, at(endpoint.id));
  },
});

const getEndpoint = defineOperationsRoute({
  id: "account.webhooks.get",
  method: "GET",
  path: "/webhooks/:id",
  summary: "Retrieve a webhook endpoint. The secret is never returned",
  data: EndpointView,
  example,
  handle: async ({ params: { id } }, ctx) => item(await requireEndpoint(ctx, id)),
});

const updateEndpoint = defineOperationsRoute({
  id: "account.webhooks.update",
  method: "PATCH",
  path: "/webhooks/:id",
  summary: "Update the URL, description or event types of a webhook endpoint",
  description: "Pending deliveries are sent to the new URL.",
  body: EndpointPatch,
  data: EndpointView,
  example: { ...example, body: { types: ["reviews.*", "forms.*"] } },
  async handle({ params: { id }, body }, ctx) {
    const stored = readable(ctx, await ctx.current(endpoints, id));
    await prepare(ctx, { url: body.url, types: body.types ?? [] });
    requireEvents(ctx, body.types ?? []);
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
    return item(await changeEndpoint(ctx.tx, ctx.now, stored, given));
  },
});

const deleteEndpoint = defineOperationsRoute({
  id: "account.webhooks.delete",
  method: "DELETE",
  path: "/webhooks/:id",
  summary: "Delete a webhook endpoint. Pending deliveries are discarded",
  data: z.null(),
  example,
  async handle({ params: { id } }, ctx) {
    await removeEndpoint(ctx.tx, readable(ctx, await ctx.current(endpoints, id)));
    return empty();
  },
});

const enable = defineOperationsRoute({
  id: "account.webhooks.enable",
  method: "POST",
  path: "/webhooks/:id/enable",
  summary: "Enable a webhook endpoint",
  description:
    "Events that occurred while the endpoint was disabled because of failures are stored. `POST /v1/account/webhooks/{id}/resend` sends them.",
  data: EndpointView,
  example,
  handle: async ({ params: { id } }, ctx) =>
    item(await enableEndpoint(ctx.tx, ctx.now, await requireEndpoint(ctx, id))),
});

const disable = defineOperationsRoute({
  id: "account.webhooks.disable",
  method: "POST",
  path: "/webhooks/:id/disable",
  summary: "Disable a webhook endpoint. Events are not stored for it while it is disabled",
  data: EndpointView,
  example,
  handle: async ({ params: { id } }, ctx) =>
    item(await disableEndpoint(ctx.tx, workOf(ctx), await requireEndpoint(ctx, id), "manual")),
});

const rotate = defineOperationsRoute({
  id: "account.webhooks.rotate-secret",
  method: "POST",
  path: "/webhooks/:id/rotate-secret",
  summary: "Rotate the secret of a webhook endpoint. The old secret stays valid during the overlap",
  description:
    "During the overlap each delivery carries both signatures, so that the receiver can switch at any time.",
  body: RotateSecretBody,
  data: RotatedSecretView,
  sensitive: true,
  example: { ...example, body: { overlap_seconds: 86_400 } },
  async handle({ params: { id }, body }, ctx) {
    await requireEndpoint(ctx, id);
    const { secret, oldExpiresAt } = await rotateSecret(ctx.tx, workOf(ctx), id, body.overlap_seconds);
    return ok({ secret, old_expires_at: oldExpiresAt });
  },
});

const test = defineOperationsRoute({
  id: "account.webhooks.test",
  method: "POST",
  path: "/webhooks/:id/test",
  summary: "Send a test event to a webhook endpoint",
  description: "The delivery is sent asynchronously. Retrieve it to see the result.",
  body: TestBody,
  data: Delivery,
  status: 202,
  errors: [disabledError, liveError],
  example: { ...example, body: {} },
  async handle({ params: { id }, body: { type } }, ctx) {
    const { tx, deps } = ctx;
    await requireEndpoint(ctx, id);
    requireEvents(ctx, [type]);
    const delivery = await stageTest(tx, deps, { endpointId: id, now: ctx.now, type });
    deps.webhooks.wakeSoon(tx.part);
    return accepted(delivery.value, `${at(id)}/deliveries/${delivery.id}`);
  },
});

const resendRange = defineOperationsRoute({
  id: "account.webhooks.resend",
  method: "POST",
  path: "/webhooks/:id/resend",
  cost: 10,
  summary: "Resend the deliveries of a period",
  description:
    "Resends what failed or waits for its next attempt; with `only: all` also what was delivered. Deliveries keep their `webhook-id`, so that receivers can ignore duplicates. They are stored for up to 90 days.",
  body: ReplayBody,
  data: Replay,
  status: 202,
  errors: [disabledError, runningError],
  example: {
    ...example,
    body: { since: "2026-05-31T00:00:00.000Z", only: "undelivered" },
  },
  async handle({ params: { id }, body }, ctx) {
    const { tx, deps } = ctx;
    const replay = await startReplay(
      tx,
      { now: ctx.now, newId: deps.newId },
      await requireEndpoint(ctx, id),
      {
        ...body,
        until: body.until,
      },
    );
    deps.webhooks.wakeSoon(tx.part);
    return accepted(replay.value, `${at(id)}/replays/${replay.id}`);
  },
});

const getReplay = defineOperationsRoute({
  id: "account.webhooks.replay",
  method: "GET",
  path: "/webhooks/:id/replays/:replay_id",
  summary: "Retrieve the progress of a resend",
  data: ReplayView,
  example: { params: { ...example.params, replay_id: EXAMPLE_REPLAY } },
  async handle({ params: { id, replay_id } }, ctx) {
    await requireEndpoint(ctx, id);
    return item(requireOf(await ctx.tx.require(replays, replay_id), id));
  },
});

const listDeliveries = defineOperationsRoute({
  id: "account.deliveries.list",
  method: "GET",
  path: "/webhooks/:id/deliveries",
  summary: "List deliveries of a webhook endpoint, newest first",
  description:
    "Deliveries are stored for 90 days; the oldest are deleted earlier where they take more than half of the storage for stored responses and messages.",
  query: ListQuery.extend({ status: DeliveryView.shape.status.optional() }),
  data: z.array(DeliveryView),
  example,
  async handle({ params: { id }, query: { status, ...page } }, ctx) {
    const value = status === undefined ? id : `${id}.${status}`;
    const found = await ctx.tx.peekPage(deliveries, { index: "endpoint", value, ...page });
    await requireEndpoint(ctx, id);
    // An endpoint may have had other types before.
    return list({ ...found, items: found.items.filter(({ value: { type } }) => mayReadEvents(ctx, [type])) });
  },
});

const deliveryPath = { params: { ...example.params, delivery_id: EXAMPLE_DELIVERY } };

const getDelivery = defineOperationsRoute({
  id: "account.deliveries.get",
  method: "GET",
  path: "/webhooks/:id/deliveries/:delivery_id",
  summary: "Retrieve a delivery with its latest attempts and its payload",
  data: DeliveryView,
  example: deliveryPath,
  async handle({ params: { id, delivery_id } }, ctx) {
    await requireEndpoint(ctx, id);
    const delivery = requireOf(await ctx.tx.require(deliveries, delivery_id), id);
    requireEvents(ctx, [delivery.value.type]);
    return item(delivery);
  },
});

const resendDelivery = defineOperationsRoute({
  id: "account.deliveries.resend",
  method: "POST",
  path: "/webhooks/:id/deliveries/:delivery_id/resend",
  summary: "Resend a delivery with the same `webhook-id`",
  data: DeliveryView,
  errors: [disabledError],
  example: deliveryPath,
  async handle({ params: { id, delivery_id } }, ctx) {
    const { tx, now, deps } = ctx;
    const delivery = requireOf(await tx.require(deliveries, delivery_id), id);
    requireEnabled(await requireEndpoint(ctx, id));
    requireEvents(ctx, [delivery.value.type]);
    const due = resend(tx, now, delivery);
    deps.webhooks.wakeSoon(tx.part);
    return item(due);
  },
});

export const webhookRoutes = [
  listEndpoints,
  createEndpoint,
  getEndpoint,
  updateEndpoint,
  deleteEndpoint,
  enable,
  disable,
  rotate,
  test,
  resendRange,
  getReplay,
  listDeliveries,
  getDelivery,
  resendDelivery,
  ...listenerRoutes,
  eventTypesRoute("account"),
  // Deliveries are sent in real time: what was due by a test clock in the future would wait for it.
].map((route) => ({ ...route, isRealTime: true }));
