// Fastify + bearer-auth + rate-limit + better-sqlite3: the same job as a Node developer would build it today.
import { randomUUID } from "node:crypto";

import bearer from "@fastify/bearer-auth";
import limit from "@fastify/rate-limit";
import Fastify from "fastify";

import { openZones } from "./sqlite.mjs";

const token = "bench-token";
const zones = openZones(process.argv[2]);
const app = Fastify();
await app.register(limit, {
  max: 1_000_000_000,
  timeWindow: 60_000,
  keyGenerator: (request) => request.headers.authorization,
});
await app.register(bearer, { keys: new Set([token]) });
app.get("/zones", (request) => {
  const size = Math.min(100, Number(request.query.limit ?? 25));
  return { data: zones.page(size), meta: { request_id: randomUUID() } };
});
app.post(
  "/zones",
  { schema: { body: { type: "object", required: ["name"], properties: { name: { type: "string" } } } } },
  (request, reply) => {
    reply.code(201);
    return { data: zones.add(request.body), meta: { request_id: randomUUID() } };
  },
);
const url = await app.listen({ port: 0, host: "127.0.0.1" });
console.log(JSON.stringify({ ready: true, url, path: "/zones?limit=20", post: "/zones", token }));
process.on("SIGTERM", () => process.exit(0));
