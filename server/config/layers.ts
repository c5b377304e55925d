import { isRecord, isSecretRef, type Path } from "./tree.ts";

/** Where a value was written: `origin` for people, `dir` for resolving a relative file name. */
export interface Source {
  readonly origin: string;
  readonly dir: string;
}

export interface Leaf {
  readonly value: unknown;
  readonly source: Source;
  /** True when the value must never be printed. */
  readonly isSecret: boolean;
}

/** A configuration in which every value remembers its source. A list is one value: layers replace it whole. */
export type Layer = Leaf | Branch;
type Branch = ReadonlyMap<string, Layer>;

/** Marks every value of `value` as coming from `source`. Members that are undefined are as good as absent. */
export function toLayer(value: unknown, source: Source): Layer {
  if (!isRecord(value) || isSecretRef(value)) return { value, source, isSecret: false };
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return new Map(entries.map(([name, member]) => [name, toLayer(member, source)]));
}

/** A layer that holds one value at `path`. */
export function layerAt(path: readonly string[], leaf: Layer): Layer {
  return path.reduceRight<Layer>((inner, name) => new Map([[name, inner]]), leaf);
}

/** `higher` laid over `lower`: objects are merged, everything else is replaced. */
export function overlay(lower: Layer, higher: Layer): Layer {
  if (!isBranch(lower) || !isBranch(higher) || switchesDriver(lower, higher)) return higher;
  const merged = new Map(lower);
  for (const [name, layer] of higher) {
    const below = lower.get(name);
    merged.set(name, below === undefined ? layer : overlay(below, layer));
  }
  return merged;
}

/** Replaces each leaf by `change(leaf, path)`. */
export function mapLeaves(layer: Layer, change: (leaf: Leaf, path: readonly string[]) => Leaf): Layer {
  const visit = (node: Layer, path: readonly string[]): Layer => {
    if (!isBranch(node)) return change(node, path);
    return new Map([...node].map(([name, child]) => [name, visit(child, [...path, name])]));
  };
  return visit(layer, []);
}

/** The configuration without its sources. */
export function toPlain(layer: Layer): unknown {
  if (!isBranch(layer)) return layer.value;
  return Object.fromEntries([...layer].map(([name, child]) => [name, toPlain(child)]));
}

/**
 * The leaf that decides about `path`: the one there, or the list that contains it. For a value that no layer set it is
 * the first leaf next to it, since its layer left the other out. Null when nothing was written around it.
 */
export function leafNear(layer: Layer, path: Path): Leaf | null {
  if (!isBranch(layer)) return layer;
  const [step, ...rest] = path;
  const child = typeof step === "string" ? layer.get(step) : undefined;
  return child === undefined ? firstLeaf(layer) : leafNear(child, rest);
}

/** The leaf at `path`, or the list that contains it, and the rest of the path inside that list. */
export function leafAt(layer: Layer, path: Path): { leaf: Leaf; rest: Path } | null {
  if (!isBranch(layer)) return { leaf: layer, rest: path };
  const [step, ...rest] = path;
  const child = typeof step === "string" ? layer.get(step) : undefined;
  return child === undefined ? null : leafAt(child, rest);
}

/** Settings of one storage driver mean nothing to another, so naming another driver drops them. */
function switchesDriver(lower: Branch, higher: Branch): boolean {
  const [before, after] = [lower.get("driver"), higher.get("driver")];
  if (before === undefined || after === undefined || isBranch(before) || isBranch(after)) return false;
  return before.value !== after.value;
}

function firstLeaf(layer: Layer): Leaf | null {
  if (!isBranch(layer)) return layer;
  for (const child of layer.values()) {
    const leaf = firstLeaf(child);
    if (leaf !== null) return leaf;
  }
  return null;
}

function isBranch(layer: Layer): layer is Branch {
  return layer instanceof Map;
}
