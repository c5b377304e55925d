import type { Driver } from "unstorage";

import { systemClock } from "../../core/clock.ts";
import type { S3Config } from "../describe.ts";
import { openDriver } from "../open.ts";
import { createFace } from "./face.ts";

/** The driver `s3` as a driver of unstorage, for any number of processes. */
export default (options: Omit<S3Config, "driver">): Driver =>
  createFace("storefront-platform/s3", () =>
    openDriver({ ...options, driver: "s3" }, { clock: systemClock }),
  );
