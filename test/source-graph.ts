import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { posix } from "node:path";

// What the source files export, and which files import it: read from the text, as the linter formats it.

/**
 * The layers of ARCHITECTURE.md, lowest first. A file imports from its own folder's layer or from a lower one, types
 * included; folders of one layer do not import each other.
 */
export const LAYERS = [
  ["lib"],
  ["contract"],
  ["core"],
  ["config"],
  ["storage", "http", "outgoing"],
  ["mail", "jobs", "ai", "observability", "openapi"],
  ["engines"],
  ["accounts"],
  ["operations"],
  ["site"],
  ["serve"],
  ["cli"],
  ["bin"],
];
const root = new URL("..", import.meta.url).pathname;

const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
  maxBuffer: 16 * 1_048_576,
}).split("\n");
const isSource = (file: string): boolean => /\.(ts|mjs)$/.test(file) && !file.endsWith(".d.ts");
const textOf = (file: string): string => {
  try {
    return readFileSync(`${root}/${file}`, "utf8");
  } catch {
    // Deleted, and not committed yet.
    return "";
  }
};

/** Text of each file of the product. */
export const sources: ReadonlyMap<string, string> = new Map(
  listed
    .filter((file) => /^(server|cli|bin)\/.*\.ts$/.test(file) && isSource(file))
    .map((file) => [file, textOf(file)]),
);
const tests = new Map(
  listed
    .filter((file) => /^(test\/|server\/.*\.mjs$)/.test(file) && isSource(file))
    .map((file) => [file, textOf(file)]),
);

interface Import {
  readonly from: string;
  readonly to: string;
  /** Names as the imported file exports them; null for all of them. */
  readonly names: readonly string[] | null;
}

const STATEMENT = /^(?:import|export)\s+(?:type\s)?([^"';]*?)\s*from "(\.[^"]+)"|\bimport\(\s*"(\.[^"]+)"/gm;

function importsOf([file, text]: readonly [string, string]): Import[] {
  return Array.from(text.matchAll(STATEMENT), ([, clause = "", path, lazy]) => {
    const braces = /\{([^}]*)\}/.exec(clause)?.[1];
    const names = braces?.split(",").flatMap(
      (one) =>
        one
          .trim()
          .replace(/^type /, "")
          .split(" as ")[0] ?? [],
    );
    return {
      from: file,
      to: posix.join(posix.dirname(file), path ?? lazy ?? ""),
      names: names?.filter((name) => name !== "") ?? null,
    };
  });
}

/** Imports of one file of the product by another. */
export const arrows: readonly Import[] = [...sources]
  .flatMap(importsOf)
  .filter(({ to }) => to.endsWith(".ts"));

/** Types are left out: declarations of other files refer to those that they infer. */
const EXPORT = /^export (?:async )?(?:const|function\*?|class) (\w+)/gm;

/** `file: name` of each value that no other file imports, tests included: it need not be exported. */
export function unusedExports(): string[] {
  const used = new Map<string, Set<string> | null>();
  for (const { to, names } of [...arrows, ...[...tests].flatMap(importsOf)]) {
    const known = used.get(to);
    if (names === null || known === null) used.set(to, null);
    else used.set(to, new Set([...(known ?? []), ...names]));
  }
  return [...sources].flatMap(([file, text]) => {
    const names = used.get(file);
    if (names === null || ENTRIES.has(file)) return [];
    return Array.from(text.matchAll(EXPORT), ([, name = ""]) => name)
      .filter((name) => names?.has(name) !== true)
      .map((name) => `${file}: ${name}`);
  });
}

/** Imported by whoever installs the package. */
const ENTRIES: ReadonlySet<string> = new Set([
  "server/config/define.ts",
  "server/engine.ts",
  "server/driver.ts",
]);

/** The contract that drivers implement lies below the core; the drivers above it. Loose files of server/ wire it all. */
export function layerOf(file: string): string {
  const [top = "", folder = "", name = ""] = file.split("/");
  if (top !== "server") return top;
  if (folder.endsWith(".ts")) return "serve";
  return folder === "storage" && /^(contract|own)\.ts$/.test(name) ? "contract" : folder;
}

export const rankOf = (layer: string): number => LAYERS.findIndex((names) => names.includes(layer));

/** Imports of a layer by one below it, type-only imports included. */
export const upwardArrows = (): string[] =>
  arrows
    .filter(({ from, to }) => rankOf(layerOf(to)) > rankOf(layerOf(from)))
    .map(({ from, to }) => `${from} -> ${to}`);

/** Files that import each other, type-only imports included. */
export function importCircles(): string[][] {
  const graph = new Map([...sources.keys()].map((file): [string, string[]] => [file, []]));
  for (const { from, to } of arrows) graph.get(from)?.push(to);
  return circles(graph);
}

/** Strongly connected components with more than one file (Tarjan 1972), each as a sorted list. */
function circles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): void => {
    index.set(file, index.size);
    low.set(file, index.size - 1);
    stack.push(file);
    for (const target of graph.get(file) ?? []) {
      if (!graph.has(target)) continue;
      if (!index.has(target)) visit(target);
      if (stack.includes(target)) low.set(file, Math.min(low.get(file) ?? 0, low.get(target) ?? 0));
    }
    if (low.get(file) !== index.get(file)) return;
    const component = stack.splice(stack.indexOf(file));
    if (component.length > 1) found.push(component.toSorted());
  };
  for (const file of graph.keys()) if (!index.has(file)) visit(file);
  return found;
}
