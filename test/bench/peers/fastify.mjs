// Fastify + bearer-auth + rate-limit + better-sqlite3: the same job as a Node developer would build it today.
import { randomUUID } from "node:crypto";

import bearer from "@fastify/bearer-auth";
import limit from "@fastify/rate-limit";
import Fastify from "fastify";

import { openShop } from "./sqlite.mjs";

const token = "bench-token";
const shop = openShop(process.argv[2]);
const app = Fastify();
await app.register(limit, {
  max: 1_000_000_000,
  timeWindow: 60_000,
  keyGenerator: (request) => request.headers.authorization,
});
await app.register(bearer, { keys: new Set([token]) });
app.get("/bundles", (request) => {
  const size = Math.min(100, Number(request.query.limit ?? 25));
  return { data: shop.page(size), meta: { request_id: randomUUID() } };
});
const body = { type: "object", required: ["slot_id"], properties: { slot_id: { type: "string" } } };
app.post("/holds", { schema: { body } }, (request, reply) => {
  const hold = shop.hold(request.body.slot_id);
  reply.code(hold === null ? 409 : 201);
  return { data: hold, meta: { request_id: randomUUID() } };
});
const url = await app.listen({ port: 0, host: "127.0.0.1" });
const told = { ready: true, url, path: "/bundles?limit=20", holds: "/holds", slots: shop.slots, token };
console.log(JSON.stringify(told));
process.on("SIGTERM", () => process.exit(0));
