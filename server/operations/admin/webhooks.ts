import { z } from "zod";

import { eventTypesRoute } from "../webhooks/event-types-route.ts";

import { storePartition } from "../../core/partitions.ts";
import { accepted, empty, list, made, ok } from "../../core/reply.ts";
import { Id, ListQuery } from "../../core/schema.ts";
import type { Tx } from "../../core/tx.ts";
import { actorOf, runChange } from "../../accounts/change.ts";
import { stores } from "../../accounts/collections.ts";
import { PLATFORM_PART } from "../../core/partitions.ts";
import { defineOperationsRoute } from "../context.ts";
import type { OperationsCtx } from "../context.ts";
import { Ref } from "../../accounts/ref.ts";
import { prepare, requireOf } from "../webhooks/checks.ts";
import { deliveries, Delivery, Endpoint, endpoints, Replay, replays } from "../webhooks/collections.ts";
import {
  addEndpoint,
  disableEndpoint,
  enableEndpoint,
  removeEndpoint,
  resend,
} from "../webhooks/endpoints.ts";
import { requireEnabled, startReplay } from "../webhooks/replay.ts";
import { stageTest } from "../webhooks/test-event.ts";
import {
  EXAMPLE_DELIVERY,
  EXAMPLE_ENDPOINT,
  EXAMPLE_REPLAY,
  DeliveryView,
  disabledError,
  EndpointBody,
  EndpointView,
  IssuedEndpointView,
  limitError,
  ReplayBody,
  ReplayView,
  runningError,
} from "../webhooks/views.ts";

const place = {
  store_id: Ref.optional().meta({
    description: "Store of the endpoints. Default: the operator's own endpoints",
  }),
  mode: z.enum(["live", "test"]).default("live").meta({ description: "Live or test data of the store" }),
};
const Place = z.object(place);
type Place = z.output<typeof Place>;
const params = z.object({ id: Id });
const example = { params: { id: EXAMPLE_ENDPOINT } };
const at = ({ id, store_id, mode }: Place & { id: string }): string => {
  const query = store_id === undefined ? "" : `?${new URLSearchParams({ store_id, mode }).toString()}`;
  return `/webhooks/${id}${query}`;
};

/** Does something in the partition that the operator names. Throws 404 for a store that is not there. */
async function inPlace<R>(
  ctx: OperationsCtx,
  { store_id, mode }: Place,
  work: (tx: Tx) => Promise<R>,
): Promise<R> {
  if (store_id === undefined) return ctx.deps.runTx(PLATFORM_PART, work);
  const store = await ctx.tx.require(stores, store_id);
  return ctx.deps.runTx(storePartition(store.id, mode), work);
}

const partOf = ({ store_id, mode }: Place): string =>
  store_id === undefined ? PLATFORM_PART : storePartition(store_id, mode);

const workOf = ({ deps, now }: OperationsCtx) => ({ now, newId: deps.newId, random: deps.random });

/** An operator's hand leaves a trace in the audit trail; the address may be a secret of the receiver's. */
const audit = (ctx: OperationsCtx, action: string, id: string, where: Place): Promise<void> =>
  runChange(ctx.deps, actorOf(ctx), async ({ record }) => {
    record({
      action: `webhook.${action}`,
      subject: id,
      customer_id: null,
      details: { store_id: where.store_id ?? null, mode: where.mode },
    });
  });

const listEndpoints = defineOperationsRoute({
  id: "admin.webhooks.list",
  method: "GET",
  path: "/webhooks",
  summary: "List webhook endpoints of a store or of the operator, newest first",
  description: "The operator's endpoints receive events about all customers, keys and plans.",
  query: ListQuery.extend(place),
  data: z.array(EndpointView),
  errors: [{ type: "not_found", when: "No store has this id." }],
  example: {},
  handle: async ({ query: { store_id, mode, ...page } }, ctx) =>
    list(await inPlace(ctx, { store_id, mode }, (tx) => tx.peekPage(endpoints, page))),
});

const createEndpoint = defineOperationsRoute({
  id: "admin.webhooks.create",
  method: "POST",
  path: "/webhooks",
  summary: "Create a webhook endpoint. Its secret is shown once",
  query: Place,
  body: EndpointBody,
  data: IssuedEndpointView,
  status: 201,
  sensitive: true,
  errors: [{ type: "not_found", when: "No store has this id." }, limitError],
  example: { body: { url: "https://orders.shop.example/webhooks", types: ["key.*", "customer.*"] } },
  async handle({ query, body }, ctx) {
    await prepare(ctx, { url: body.url, types: query.store_id === undefined ? [] : body.types });
    const { endpoint, secret } = await inPlace(ctx, query, (tx) => addEndpoint(tx, workOf(ctx), body));
    await audit(ctx, "added", endpoint.id, query);
    return made({ ...endpoint.value, secret }, at({ ...query, id: endpoint.id }));
  },
});

const getEndpoint = defineOperationsRoute({
  id: "admin.webhooks.get",
  method: "GET",
  path: "/webhooks/:id",
  summary: "Retrieve a webhook endpoint. The secret is never returned",
  query: Place,
  data: EndpointView,
  example,
  async handle({ params: { id }, query }, ctx) {
    const { value, version } = await inPlace(ctx, query, (tx) => tx.require(endpoints, id));
    return ok({ ...value, version });
  },
});

/** An action that leaves an endpoint behind. */
const action = (verb: "enable" | "disable", summary: string) =>
  defineOperationsRoute({
    id: `admin.webhooks.${verb}`,
    method: "POST",
    path: `/webhooks/:id/${verb}`,
    summary,
    query: Place,
    data: Endpoint,
    example,
    async handle({ params: { id }, query }, ctx) {
      const { value } = await inPlace(ctx, query, async (tx) => {
        const stored = await tx.require(endpoints, id);
        if (verb === "enable") return enableEndpoint(tx, ctx.now, stored);
        return disableEndpoint(tx, workOf(ctx), stored, "manual");
      });
      await audit(ctx, `${verb}d`, id, query);
      return ok(value);
    },
  });

const removeRoute = defineOperationsRoute({
  id: "admin.webhooks.delete",
  method: "DELETE",
  path: "/webhooks/:id",
  summary: "Delete a webhook endpoint. Pending deliveries are discarded",
  query: Place,
  data: z.null(),
  example,
  async handle({ params: { id }, query }, ctx) {
    await inPlace(ctx, query, async (tx) => removeEndpoint(tx, await tx.require(endpoints, id)));
    await audit(ctx, "removed", id, query);
    return empty();
  },
});

const test = defineOperationsRoute({
  id: "admin.webhooks.test",
  method: "POST",
  path: "/webhooks/:id/test",
  summary: "Send a `webhook.test` event to a webhook endpoint",
  query: Place,
  data: Delivery,
  status: 202,
  errors: [disabledError],
  example,
  async handle({ params: { id }, query }, ctx) {
    const work = (tx: Tx) => stageTest(tx, ctx.deps, { endpointId: id, now: ctx.now });
    const { value } = await inPlace(ctx, query, work);
    ctx.deps.webhooks.wake(partOf(query));
    return accepted(value, at({ ...query, id: `${id}/deliveries` }));
  },
});

const listDeliveries = defineOperationsRoute({
  id: "admin.webhooks.deliveries",
  method: "GET",
  path: "/webhooks/:id/deliveries",
  summary: "List deliveries of a webhook endpoint, newest first",
  query: ListQuery.extend({ ...place, status: DeliveryView.shape.status.optional() }),
  data: z.array(DeliveryView),
  example,
  async handle({ params: { id }, query: { store_id, mode, status, ...page } }, ctx) {
    const value = status === undefined ? id : `${id}.${status}`;
    return list(
      await inPlace(ctx, { store_id, mode }, async (tx) => {
        const found = await tx.peekPage(deliveries, { index: "endpoint", value, ...page });
        await tx.require(endpoints, id);
        return found;
      }),
    );
  },
});

const resendDelivery = defineOperationsRoute({
  id: "admin.webhooks.resend-delivery",
  method: "POST",
  path: "/webhooks/:id/deliveries/:delivery_id/resend",
  summary: "Resend a delivery with the same `webhook-id`",
  params: params.extend({ delivery_id: Id }),
  query: Place,
  data: Delivery,
  errors: [disabledError],
  example: { params: { ...example.params, delivery_id: EXAMPLE_DELIVERY } },
  async handle({ params: { id, delivery_id }, query }, ctx) {
    const { value } = await inPlace(ctx, query, async (tx) => {
      const delivery = requireOf(await tx.require(deliveries, delivery_id), id);
      requireEnabled(await tx.require(endpoints, id));
      return resend(tx, ctx.now, delivery);
    });
    ctx.deps.webhooks.wake(partOf(query));
    return ok(value);
  },
});

const replay = defineOperationsRoute({
  id: "admin.webhooks.resend",
  method: "POST",
  path: "/webhooks/:id/resend",
  summary: "Resend the deliveries of a period. Default: only failed ones",
  query: Place,
  body: ReplayBody,
  data: Replay,
  status: 202,
  errors: [disabledError, runningError],
  example: { ...example, body: { since: "2026-05-31T00:00:00.000Z" } },
  async handle({ params: { id }, query, body }, ctx) {
    const { value } = await inPlace(ctx, query, async (tx) =>
      startReplay(tx, workOf(ctx), await tx.require(endpoints, id), { ...body, until: body.until }),
    );
    ctx.deps.webhooks.wake(partOf(query));
    await audit(ctx, "resent", id, query);
    return accepted(value, at({ ...query, id: `${id}/replays/${value.id}` }));
  },
});

const getReplay = defineOperationsRoute({
  id: "admin.webhooks.replay",
  method: "GET",
  path: "/webhooks/:id/replays/:replay_id",
  summary: "Retrieve the progress of a resend",
  params: params.extend({ replay_id: Id }),
  query: Place,
  data: ReplayView,
  example: { params: { ...example.params, replay_id: EXAMPLE_REPLAY } },
  async handle({ params: { id, replay_id }, query }, ctx) {
    const found = await inPlace(ctx, query, async (tx) =>
      requireOf(await tx.require(replays, replay_id), id),
    );
    return ok({ ...found.value, version: found.version });
  },
});

export const webhookRoutes = [
  listEndpoints,
  createEndpoint,
  getEndpoint,
  removeRoute,
  action("enable", "Enable a webhook endpoint"),
  action("disable", "Disable a webhook endpoint. Events are not stored for it while it is disabled"),
  test,
  replay,
  getReplay,
  listDeliveries,
  resendDelivery,
  eventTypesRoute("admin"),
];
