import type { SecretRef } from "./define.ts";

/** Where a value is in the configuration: `["plans", 0, "id"]`. */
export type Path = readonly (string | number)[];

/** `plans[0].id`, as people write it. */
export function formatPath(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    return text === "" ? step : `${text}.${step}`;
  }, "");
}

/** The value at `path`, or undefined where there is none; inherited members do not count. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((parent, step) => {
    if (typeof step === "number") return Array.isArray(parent) ? parent[step] : undefined;
    return isRecord(parent) && Object.hasOwn(parent, step) ? parent[step] : undefined;
  }, value);
}

/** Puts `value` at `path` of an object of ours, where there is one. */
export function setValueAt(tree: unknown, path: Path, value: unknown): void {
  const name = path.at(-1);
  const parent = valueAt(tree, path.slice(0, -1));
  if (typeof name === "string" && isRecord(parent)) parent[name] = value;
}

/** The paths of all values: a list of objects is traversed, a list of anything else is one value. */
export function leafPaths(value: unknown, path: Path = []): Path[] {
  if (isRecord(value))
    return Object.entries(value).flatMap(([name, child]) => leafPaths(child, [...path, name]));
  if (Array.isArray(value) && value.some(isRecord)) {
    return value.flatMap((item: unknown, index) => leafPaths(item, [...path, index]));
  }
  return [path];
}

/** A plain object: what a configuration nests. Dates, class instances, objects with functions, arrays and null are values. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === Object.prototype || prototype === null;
  return isPlain && !Object.values(value).some((member) => typeof member === "function");
}

/** True for what `secret()` makes, also when it was written as JSON or by another instance of that module. */
export function isSecretRef(value: unknown): value is SecretRef {
  return isRecord(value) && typeof value.$secret === "string" && Object.keys(value).length === 1;
}
