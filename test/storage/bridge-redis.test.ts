import { afterAll, beforeAll, describe } from "vitest";

import { createSystemRandom } from "../../server/core/ids.ts";
import { openBridgeDriver } from "../../server/storage/bridge.ts";
import { hasRedis, REDIS_MISSING, startRedis } from "../support/redis.ts";
import type { RedisServer } from "../support/redis.ts";
import { conformance } from "./conformance.ts";
import type { Subject, TestClock } from "./conformance.ts";

if (!hasRedis) console.warn(`Tests on Redis are skipped. ${REDIS_MISSING}`);

let server: RedisServer;
beforeAll(async () => {
  if (hasRedis) server = await startRedis({ settings: ["--appendfsync", "everysec"] });
});
afterAll(() => server?.stop());

const random = createSystemRandom();
let stores = 0;

async function openSubject(clock: TestClock, base = `t${stores++}`): Promise<Subject> {
  const options = { url: server.url, base, scanCount: 1000 };
  const driver = await openBridgeDriver({ use: "redis", options, clock, random });
  return {
    driver,
    async reopen() {
      await driver.close();
      return openSubject(clock, base);
    },
    dispose: () => driver.close(),
  };
}

describe.skipIf(!hasRedis)("the unstorage driver redis", () => {
  conformance({ name: "unstorage redis", seeds: 3, open: (clock) => openSubject(clock) });
});
