import type { Field } from "./fields.ts";
import { type Layer, layerAt, type Leaf, overlay, type Source } from "./layers.ts";
import { closest } from "../lib/suggest.ts";

/** A place where environment variables are written, strongest first in a list of them. */
export interface EnvSource {
  /** `env`, or the name of the file. */
  readonly label: string;
  readonly dir: string;
  readonly values: Readonly<Record<string, string | undefined>>;
}

/** Variables with our prefix that are read elsewhere: here, and by the client commands. */
const OTHER_NAMES = [
  "PLATFORM_CONFIG",
  "PLATFORM_URL",
  "PLATFORM_API_KEY",
  "PLATFORM_PROFILE",
  "PLATFORM_STORE",
  "PLATFORM_DEBUG",
];

/**
 * The settings that environment variables make. An empty variable counts as not set, as in a compose file that passes
 * `${NAME}` on. A secret may come as `<name>_FILE`.
 */
export function toEnvLayer(fields: readonly Field[], sources: readonly EnvSource[]): Layer {
  const layers = fields.flatMap((field) => {
    const leaf = findLeaf(field, sources);
    return leaf === null ? [] : [layerAt(field.path.split("."), leaf)];
  });
  return layers.reduce(overlay, new Map());
}

/** One warning for each `PLATFORM_…` variable that nothing reads: most often a typing error. */
export function warnOfUnknownNames(fields: readonly Field[], sources: readonly EnvSource[]): string[] {
  const known = [
    ...OTHER_NAMES,
    ...fields.flatMap(({ env, isSecret }) =>
      env === undefined ? [] : isSecret ? [env, `${env}_FILE`] : [env],
    ),
  ];
  return sources.flatMap(({ label, values }) =>
    Object.keys(values)
      .filter((name) => name.startsWith("PLATFORM_") && !known.includes(name))
      .map((name) => {
        const similar = closest(name, known);
        return `${label} ${name}: unknown setting${similar === null ? "." : `. Did you mean ${similar}?`}`;
      }),
  );
}

/** The variable's value in the strongest source that has one. */
export function lookUp(
  name: string,
  sources: readonly EnvSource[],
): { value: string; source: Source } | null {
  for (const { label, dir, values } of sources) {
    const value = values[name];
    if (value !== undefined && value !== "") return { value, source: { origin: `${label} ${name}`, dir } };
  }
  return null;
}

/**
 * What a storage driver's settings are called on the machines of its makers: `AWS_REGION`, `REDIS_URL`. These may be there
 * for another program, so they say something only about the driver that was chosen, and only where no other layer does.
 */
export function toAliasLayer(
  fields: readonly Field[],
  driver: string,
  sources: readonly EnvSource[],
): Layer | null {
  const layers = fields.flatMap(({ path, envAlias, ...field }) => {
    if (envAlias === undefined || !field.drivers.includes(driver)) return [];
    const leaf = findNamed(field, envAlias, sources);
    return leaf === null ? [] : [layerAt(path.split("."), leaf)];
  });
  return layers.length === 0 ? null : layers.reduce(overlay);
}

function findLeaf(field: Field, sources: readonly EnvSource[]): Leaf | null {
  const { env, envAlias, drivers } = field;
  if (env === undefined) return null;
  const alias = drivers.length > 0 ? undefined : envAlias;
  if (field.isSecret) return findNamed(field, env, sources);
  for (const source of sources) {
    const found =
      findNamed(field, env, [source]) ?? (alias === undefined ? null : findNamed(field, alias, [source]));
    if (found !== null) return found;
  }
  return null;
}

function findNamed(
  field: Pick<Field, "isSecret" | "accepts">,
  name: string,
  sources: readonly EnvSource[],
): Leaf | null {
  const found = lookUp(name, sources) ?? (field.isSecret ? lookUp(`${name}_FILE`, sources) : null);
  if (found === null) return null;
  if (field.isSecret) return { value: { $secret: name }, source: found.source, isSecret: true };
  return { value: fromText(field, found.value), source: found.source, isSecret: false };
}

/**
 * The value that a text from the environment or the command line means for `field`. What does not fit stays a text, so
 * that the message about it can show what was written.
 */
export function fromText({ accepts }: Pick<Field, "accepts">, written: string): unknown {
  const text = written.trim();
  if (accepts.includes("integer") && /^-?\d+$/.test(text)) return Number(text);
  if (accepts.includes("boolean") && /^(true|1)$/i.test(text)) return true;
  if (accepts.includes("boolean") && /^(false|0)$/i.test(text)) return false;
  if (accepts.includes("array")) {
    const items = text.split(",").map((item) => item.trim());
    return items.filter((item) => item !== "");
  }
  return text;
}
