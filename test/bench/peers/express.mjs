// Express + express-rate-limit + better-sqlite3: the same job in the most widely used stack.
import { randomUUID } from "node:crypto";

import express from "express";
import { rateLimit } from "express-rate-limit";

import { openZones } from "./sqlite.mjs";

const token = "bench-token";
const zones = openZones(process.argv[2]);
const app = express();
app.use((request, response, next) => {
  if (request.headers.authorization === `Bearer ${token}`) next();
  else response.status(401).json({ error: "unauthorized" });
});
app.use(rateLimit({ windowMs: 60_000, limit: 1_000_000_000, keyGenerator: (request) => request.headers.authorization }));
app.use(express.json());
app.get("/zones", (request, response) => {
  const size = Math.min(100, Number(request.query.limit ?? 25));
  response.json({ data: zones.page(size), meta: { request_id: randomUUID() } });
});
app.post("/zones", (request, response) => {
  if (typeof request.body?.name !== "string") response.status(422).json({ error: "name" });
  else response.status(201).json({ data: zones.add(request.body), meta: { request_id: randomUUID() } });
});
const server = app.listen(0, "127.0.0.1", () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  console.log(JSON.stringify({ ready: true, url, path: "/zones?limit=20", post: "/zones", token }));
});
process.on("SIGTERM", () => process.exit(0));
