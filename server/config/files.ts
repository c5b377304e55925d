import type { Driver } from "unstorage";
import { z } from "zod";

import { text } from "./values.ts";

/** Drivers that discard what they are given when the process exits, or before. */
const VOLATILE = new Set(["memory", "lru-cache", "null"]);

export const isUnstorageDriver = (value: unknown): value is Driver =>
  typeof value === "object" && value !== null && "getItem" in value && typeof value.getItem === "function";

/** Where files are stored that visitors upload, and photos of reviews. */
export const Files = z
  .strictObject({
    driver: z
      .union([text(), z.custom<Driver>(isUnstorageDriver)], {
        error: "expected a name or a driver of unstorage",
      })
      .meta({
        env: "PLATFORM_FILES_DRIVER",
        description:
          "Where uploaded files and photos of reviews are stored: `fs` for a folder, or a driver of unstorage: a name such as `s3`, a package, or the driver itself. Default: among the documents.",
      }),
    base: text("expected a folder path").optional().meta({
      env: "PLATFORM_FILES_BASE",
      path: true,
      description: "Folder of `fs`. Default: the folder `files` in the data folder.",
    }),
    options: z.record(z.string(), z.unknown()).optional().meta({
      secret: true,
      description: "Options of the driver of unstorage.",
    }),
  })
  .superRefine(({ driver, base }, ctx) => {
    if (typeof driver === "string" && VOLATILE.has(driver)) {
      const message = `"${driver}" discards files when the process exits`;
      ctx.addIssue({ code: "custom", path: ["driver"], message });
    }
    if (base !== undefined && driver !== "fs")
      ctx.addIssue({ code: "custom", path: ["base"], message: 'is a setting of the driver "fs"' });
  })
  .optional();
