import { readFileSync } from "node:fs";
import { join } from "node:path";

import { findPackageRoot } from "../../server/core/package-root.ts";
import { parseJson, textOf } from "../terminal/json.ts";

/** Version of this package. */
export const readVersion = (): string =>
  textOf(parseJson(readFileSync(join(findPackageRoot(), "package.json"), "utf8")), "version");
