// Express + express-rate-limit + better-sqlite3: the same job in the most widely used stack.
import { randomUUID } from "node:crypto";

import express from "express";
import { rateLimit } from "express-rate-limit";

import { openShop } from "./sqlite.mjs";

const token = "bench-token";
const shop = openShop(process.argv[2]);
const app = express();
app.use((request, response, next) => {
  if (request.headers.authorization === `Bearer ${token}`) next();
  else response.status(401).json({ error: "unauthorized" });
});
app.use(
  rateLimit({ windowMs: 60_000, limit: 1_000_000_000, keyGenerator: (request) => request.headers.authorization }),
);
app.use(express.json());
app.get("/bundles", (request, response) => {
  const size = Math.min(100, Number(request.query.limit ?? 25));
  response.json({ data: shop.page(size), meta: { request_id: randomUUID() } });
});
app.post("/holds", (request, response) => {
  if (typeof request.body?.slot_id !== "string") {
    response.status(422).json({ error: "slot_id" });
    return;
  }
  const hold = shop.hold(request.body.slot_id);
  response.status(hold === null ? 409 : 201).json({ data: hold, meta: { request_id: randomUUID() } });
});
const server = app.listen(0, "127.0.0.1", () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  const told = { ready: true, url, path: "/bundles?limit=20", holds: "/holds", slots: shop.slots, token };
  console.log(JSON.stringify(told));
});
process.on("SIGTERM", () => process.exit(0));
