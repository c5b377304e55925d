import type { Engine } from "../../server/core/engine.ts";
import type { Io } from "../terminal/io.ts";
import { findEnginesFile } from "./engines-file.ts";

/**
 * The engines that the configuration of this folder adds. None where it cannot be read or is not valid: commands that need the
 * configuration report that.
 */
export async function findEngines(io: Io): Promise<readonly Engine[]> {
  const file = findEnginesFile(io);
  if (file === null) return [];
  try {
    const [{ readConfigFile }, { Extensions }] = await Promise.all([
      import("../../server/config/read-file.ts"),
      import("../../server/config/extensions.ts"),
    ]);
    const { engines } = await readConfigFile(file, false);
    return Extensions.parse({ engines }).engines ?? [];
  } catch {
    return [];
  }
}
