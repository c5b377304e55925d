import type { Driver } from "unstorage";

import { systemClock } from "../../core/clock.ts";
import type { RedisConfig } from "../describe.ts";
import { openDriver } from "../open.ts";
import { createFace } from "./face.ts";

/** The driver `redis` as a driver of unstorage, for any number of processes. */
export default (options: Omit<RedisConfig, "driver">): Driver =>
  createFace("storefront-platform/redis", () =>
    openDriver({ ...options, driver: "redis" }, { clock: systemClock }),
  );
