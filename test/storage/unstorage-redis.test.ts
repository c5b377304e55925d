import { afterAll, beforeAll, describe } from "vitest";

import redis from "../../server/storage/drivers/redis.ts";
import { hasRedis, REDIS_MISSING, startRedis } from "../support/redis.ts";
import type { RedisServer } from "../support/redis.ts";
import { unstorageSuite } from "./unstorage-suite.ts";

if (!hasRedis) console.warn(`Tests on Redis are skipped. ${REDIS_MISSING}`);

let server: RedisServer;
beforeAll(async () => {
  if (hasRedis) server = await startRedis({ settings: ["--appendfsync", "everysec"] });
});
afterAll(() => server?.stop());

describe.skipIf(!hasRedis)("storage/redis", () => {
  unstorageSuite(() => redis({ url: server.url }));
});
