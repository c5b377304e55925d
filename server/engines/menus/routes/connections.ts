import { z } from "zod";

import { conflict, conflictWhen } from "../../../lib/errors.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import { empty, item, made } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { resource } from "../../../core/resource.ts";
import { withVersion } from "../../../core/schema.ts";
import { toSecret } from "../../../core/standard-webhooks.ts";
import { DEMO_IDS } from "../data/demo-ids.ts";
import { connections, connectionSecrets, connectionStock, menus } from "../repository.ts";
import { liveVersionAt } from "../rules/publication.ts";
import { Connection, connectionFields, newPublication } from "../schema/connection.ts";
import { MENU_LIMITS } from "../schema/limits.ts";
import { NOTHING_TO_SEND } from "../services/push-connections.ts";
import { countGone, countNew, full, newTimes, requireId } from "./write.ts";

const View = withVersion(Connection);
const params = { id: DEMO_IDS.connections.marketplace };
const fields = {
  title: "Delivery marketplace",
  url: "https://menus.example.com/hooks/platform",
  menu_id: "mnu_01KDVDNA008888888888888889",
};

const connectionResource = resource({
  id: "menus.connections",
  collection: connections,
  view: View,
  example: DEMO_IDS.connections.marketplace,
});

const createConnection = connectionResource.create({
  summary: "Connect a channel that shows a menu",
  description:
    "A marketplace, a till or a server of your own. JSON {type, data} is posted to url, signed by Standard Webhooks: " +
    "menu.publish with the document of a version, and stock.update with the items and modifiers that cannot be sold " +
    "or can again, as soon as it changes. Messages can arrive more than once. A 2xx response accepts a message; 202 " +
    "means that a menu is still being processed, and it is sent again until it is accepted or refused. 5xx, 408, " +
    "409, 425 and 429 are retried with growing intervals, any other response refuses the menu. Create a signing " +
    "secret with POST /connections/{id}/secrets before you publish.",
  body: z.strictObject({
    ...connectionFields,
    channel: connectionFields.channel.default("delivery"),
    format: connectionFields.format.default("tree"),
    locale: connectionFields.locale.default(null),
  }),
  errors: [full],
  example: {
    body: { ...fields, format: "deliverect" },
  },
  make: async (body, ctx) => {
    await countNew(ctx, connections, MENU_LIMITS.connections);
    await requireId(ctx.tx, menus, { member: "menu_id", id: body.menu_id });
    const state = { publication: null, online_version: null, stock: NOTHING_TO_SEND };
    return { ...body, id: ctx.newId("con"), ...newTimes(ctx), ...state };
  },
});

const updateConnection = connectionResource.update({
  summary: "Change a connection",
  description: "menu_id and format cannot be changed: create another connection.",
  body: z.strictObject(connectionFields).omit({ menu_id: true, format: true }).partial(),
  example: { body: { title: "Marketplace" } },
  change: (before, body) => mergePatch(before, body),
});

const removeConnection = connectionResource.custom.remove({
  summary: "Delete a connection",
  description: "Nothing is sent to the channel any more; what it shows does not change.",
  handle: async ({ params: { id } }, ctx) => {
    const before = await ctx.current(connections, id);
    await countGone(ctx, connections);
    const [secrets, stock] = [await ctx.tx.get(connectionSecrets, id), await ctx.tx.get(connectionStock, id)];
    if (secrets !== null) ctx.tx.remove(connectionSecrets, secrets);
    if (stock !== null) ctx.tx.remove(connectionStock, stock);
    ctx.tx.remove(connections, before);
    return empty();
  },
});

const createSecret = defineRoute({
  id: "menus.connections.create-secret",
  method: "POST",
  path: "/connections/:id/secrets",
  status: 201,
  summary: "Create a signing secret for a connection",
  description:
    "Shown once. Messages are signed with the newest two, so that one can take over from the other.",
  body: z.strictObject({}).default({}),
  data: z.object({ connection_id: z.string(), secret: z.string() }),
  sensitive: true,
  example: {
    params,
    body: {},
  },
  handle: async ({ params: { id } }, { tx, ports, newId }) => {
    await tx.require(connections, id);
    const before = await tx.get(connectionSecrets, id);
    // 32 bytes that cannot be guessed: derived from a fresh id by the server's secret.
    const secret = toSecret(Buffer.from(ports.sign("menus.connection-secret", newId("sec")), "base64url"));
    const secrets = [secret, ...(before?.value.secrets ?? [])].slice(0, 2);
    tx.save(connectionSecrets, before, { id, secrets });
    return made({ connection_id: id, secret }, `/connections/${id}`);
  },
});

const publishToChannel = connectionResource.action("publish", {
  summary: "Publish the live version of the menu to the channel",
  description:
    "The publication is sent within seconds: its status is pending until the channel has accepted (online) or " +
    "refused it (failed), which GET /connections/{id} returns and webhooks report. It replaces a pending one. When allergens or " +
    "diets of the products change, what is online is published again, except as tree.",
  body: z.strictObject({}).default({}),
  errors: [
    conflictWhen("not_published", "No version of the menu is live"),
    conflictWhen("no_secret", "The connection has no signing secret"),
  ],
  example: { body: {} },
  handle: async ({ params: { id } }, ctx) => {
    const before = await ctx.tx.require(connections, id);
    const menu = await ctx.tx.get(menus, before.value.menu_id);
    const version = menu === null ? null : liveVersionAt(menu.value, ctx.now);
    if (version === null) {
      const detail = `No version of menu ${before.value.menu_id} is live. Publish the menu first.`;
      throw conflict("not_published", detail);
    }
    if ((await ctx.tx.get(connectionSecrets, id)) === null) {
      const detail =
        "The connection has no signing secret. Create one with POST /connections/{id}/secrets first.";
      throw conflict("no_secret", detail);
    }
    const publication = newPublication(ctx.newId("pub"), version, ctx.nowAt);
    return item(ctx.tx.put(connections, before, { ...before.value, publication, updated_at: ctx.nowAt }));
  },
});

export const connectionRoutes = [
  connectionResource.list({ summary: "List connections" }),
  createConnection,
  connectionResource.get({ summary: "Show a connection with the status of its publication" }),
  updateConnection,
  removeConnection,
  createSecret,
  publishToChannel,
];
