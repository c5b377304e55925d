import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type EnvSource, lookUp } from "./environment.ts";
import { type ConfigProblem, errorCode } from "./error.ts";
import { type Layer, type Leaf, mapLeaves, type Source } from "./layers.ts";
import { formatPath, isSecretRef, type Path } from "./tree.ts";

/**
 * Replaces every `secret(…)` by its value. One that cannot be had is a problem, and leaves a place-holder text behind.
 */
export function resolveSecrets(
  layer: Layer,
  sources: readonly EnvSource[],
): { layer: Layer; problems: ConfigProblem[] } {
  const problems: ConfigProblem[] = [];
  const resolved = mapLeaves(layer, (leaf, path) => {
    if (Array.isArray(leaf.value)) return inList(leaf, path);
    if (!isSecretRef(leaf.value)) return leaf;
    const found = readSecret(leaf.value.$secret, sources);
    if (found.ok)
      return { value: found.value, source: mergeOrigins(leaf.source, found.source), isSecret: true };
    problems.push({ path: formatPath(path), message: found.message, origin: leaf.source.origin });
    return { ...leaf, value: UNRESOLVED, isSecret: true };
  });
  return { layer: resolved, problems };

  /** A list is one value of its layer: what has a secret in it is hidden as a whole. */
  function inList(leaf: Leaf, path: Path): Leaf {
    let isSecret = leaf.isSecret ?? false;
    const visit = (value: unknown, at: Path): unknown => {
      if (isSecretRef(value)) {
        isSecret = true;
        const found = readSecret(value.$secret, sources);
        if (found.ok) return found.value;
        problems.push({ path: formatPath(at), message: found.message, origin: leaf.source.origin });
        return UNRESOLVED;
      }
      if (Array.isArray(value)) return value.map((one, index) => visit(one, [...at, index]));
      if (!isPlainObject(value)) return value;
      return Object.fromEntries(
        Object.entries(value).map(([name, one]) => [name, visit(one, [...at, name])]),
      );
    };
    const value = visit(leaf.value, path);
    return isSecret ? { ...leaf, value, isSecret } : leaf;
  }
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const UNRESOLVED = "unresolved";

type Found = { ok: true; value: string; source: Source } | { ok: false; message: string };

function readSecret(name: string, sources: readonly EnvSource[]): Found {
  for (const source of sources) {
    const direct = lookUp(name, [source]);
    const file = lookUp(`${name}_FILE`, [source]);
    if (direct !== null && file !== null) return fail(`set ${name} or ${name}_FILE, not both`);
    if (direct !== null) return { ok: true, ...direct };
    if (file !== null) return readSecretFile(resolve(file.source.dir, file.value), file.source);
  }
  return fail(
    `secret ${name} is not set. Set ${name}, or set ${name}_FILE to the path of a file that contains it`,
  );
}

function readSecretFile(file: string, { origin, dir }: Source): Found {
  const source = { origin: `${origin} (${file})`, dir };
  try {
    const value = readFileSync(file, "utf8").replace(/[\r\n]+$/, "");
    return value === "" ? fail(`secret file ${file} is empty`) : { ok: true, value, source };
  } catch (error) {
    return fail(`secret file ${file} cannot be read (${errorCode(error)})`);
  }
}

/** A file of the user that names a variable: both belong to the origin. A setting from a variable has just that. */
function mergeOrigins(written: Source, found: Source): Source {
  const isSame = found.origin.startsWith(written.origin);
  return { origin: isSame ? found.origin : `${written.origin}, ${found.origin}`, dir: written.dir };
}

function fail(message: string): Found {
  return { ok: false, message };
}
