import { MASK } from "./error.ts";
import { configFields, type Field } from "./fields.ts";
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
    const value = secrets.includes(name) ? MASK : valueAt(config, path);
    return { path: name, value, ...(options.origin === true ? { origin: origins[name] ?? "" } : {}) };
  });
}

/** Every setting as a Markdown table, for the documentation. */
export function configTable(): string {
  const rows = configFields().map((field) => [
    code(field.path),
    field.type,
    field.defaultValue === undefined || field.path === "plans"
      ? ""
      : code(JSON.stringify(field.defaultValue)),
    variablesOf(field).map(code).join(", "),
    field.description,
  ]);
  const head = [["Setting", "Type", "Default", "Environment", "Meaning"], Array<string>(5).fill("---")];
  return [...head, ...rows].map((cells) => `| ${cells.map(escapeCell).join(" | ")} |`).join("\n");
}

/** The names that may set it, the strongest first. */
function variablesOf({ env, envAlias, isSecret }: Field): string[] {
  const names = isSecret ? [env, `${env}_FILE`, envAlias] : [env, envAlias];
  return env === undefined ? [] : names.filter((name) => name !== undefined);
}

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function code(text: string): string {
  return `\`${text}\``;
}
