import { resolve } from "node:path";

import type { Driver } from "unstorage";

import { systemClock } from "../../core/clock.ts";
import { openDriver } from "../open.ts";
import { createFace } from "./face.ts";

/** The append-only log of the driver `fs` as a driver of unstorage. One process owns the folder. */
export default ({ base }: { readonly base: string }): Driver =>
  createFace("storefront-platform/fs", () =>
    openDriver({ driver: "fs", base: resolve(base) }, { clock: systemClock }),
  );
