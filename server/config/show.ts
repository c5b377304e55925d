import { MASK } from "./error.ts";
import { isUnstorageDriver } from "./files.ts";
import type { LoadedConfig } from "./load.ts";
import { formatPath, leafPaths, valueAt } from "./tree.ts";

export interface ConfigRow {
  readonly path: string;
  /** `***` for a secret. */
  readonly value: unknown;
  readonly origin?: string;
}

/** One row for each value of the configuration, in the order of the schema. Secrets are masked. */
export function showConfig(
  { config, origins, secrets }: LoadedConfig,
  options: { origin?: boolean } = {},
): ConfigRow[] {
  return leafPaths(config).map((path) => {
    const name = formatPath(path);
    const found = valueAt(config, path);
    // The options of a driver in code can contain credentials.
    const shown = isUnstorageDriver(found) ? (found.name ?? "a driver of unstorage") : found;
    const value = secrets.includes(name) ? MASK : shown;
    return { path: name, value, ...(options.origin === true ? { origin: origins[name] ?? "" } : {}) };
  });
}
