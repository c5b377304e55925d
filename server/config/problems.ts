import type { z } from "zod";
import { type ConfigProblem, MASK, quote } from "./error.ts";
import { configFields, type Field } from "./fields.ts";
import { leafAt, leafNear, type Layer, toPlain } from "./layers.ts";
import { closest } from "../lib/suggest.ts";
import { formatPath, isRecord, type Path, valueAt } from "./tree.ts";

/** What the schema found wrong, described with received values, origins and suggestions. */
export function toProblems(issues: readonly z.core.$ZodIssue[], layer: Layer): ConfigProblem[] {
  const known = { layer, fields: configFields(), values: toPlain(layer) };
  return issues.flatMap((issue) => explain(issue, toPath(issue.path), known));
}

interface Known {
  readonly layer: Layer;
  readonly fields: readonly Field[];
  readonly values: unknown;
}

function explain(issue: z.core.$ZodIssue, path: Path, known: Known): ConfigProblem[] {
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey(key, path, known));
  if (issue.code === "invalid_value") return [notOneOf(issue.values, path, known)];
  if (issue.code === "invalid_union") return explainUnion(issue, path, known);
  const isOurs = issue.code !== "invalid_type" || issue.message.startsWith("expected ");
  return [mismatch(isOurs ? issue.message : "expected an object", path, known)];
}

/** Either the discriminator is wrong, or the value has the outline of one alternative and that one says what is wrong. */
function explainUnion(issue: z.core.$ZodIssueInvalidUnion, path: Path, known: Known): ConfigProblem[] {
  if ("options" in issue && issue.options !== undefined) return [notOneOf(issue.options, path, known)];
  const fitting = issue.errors.find((inner) => inner.every(isBelow));
  if (fitting === undefined) return [mismatch(issue.message, path, known)];
  return fitting.flatMap((inner) => explain(inner, [...path, ...toPath(inner.path)], known));
}

function isBelow(issue: z.core.$ZodIssue): boolean {
  return issue.path.length > 0 || issue.code === "unrecognized_keys";
}

/** Messages of the schema that start with "expected" want the received value behind them; others are complete. */
function mismatch(message: string, path: Path, known: Known): ConfigProblem {
  const value = valueAt(known.values, path);
  if (!message.startsWith("expected ")) return problem(path, message, known);
  if (value === undefined) return problem(path, `required, ${message}`, known);
  return problem(path, `${message}, received ${isSecretAt(path, known) ? MASK : quote(value)}`, known);
}

function notOneOf(options: readonly unknown[], path: Path, known: Known): ConfigProblem {
  const names = options.map(String);
  const value = valueAt(known.values, path);
  if (isSecretAt(path, known)) return problem(path, `${MASK} is not one of ${names.join(", ")}`, known);
  if (value === undefined) return problem(path, `required, expected one of ${names.join(", ")}`, known);
  const suggestion = typeof value === "string" ? closest(value, names) : null;
  return problem(path, `${quote(value)} is not one of ${names.join(", ")}`, known, suggestion);
}

function unknownKey(key: string, parent: Path, known: Known): ConfigProblem {
  const path = [...parent, key];
  // The value is not shown: under a mistyped name it may be a secret.
  const origin = leafNear(known.layer, path)?.source.origin ?? "default";
  const prefix = formatPath(parent).replaceAll(/\[\d+\]/g, "[]");
  const siblings = known.fields.flatMap((field) => childName(field.path, prefix) ?? []);
  if (siblings.includes(key)) {
    const kind = quote(valueAt(known.values, [...parent, "driver"]));
    return { path: formatPath(path), message: `not a setting of driver ${kind}`, origin };
  }
  const suggestion = sameNameElsewhere(key, known.fields) ?? closest(key, siblings);
  return {
    path: formatPath(path),
    message: "unknown setting",
    origin,
    ...(suggestion === null ? {} : { suggestion }),
  };
}

function problem(path: Path, message: string, known: Known, suggestion: string | null = null): ConfigProblem {
  const received = valueAt(known.values, path);
  const value = isSecretAt(path, known) ? MASK : received;
  return {
    path: formatPath(path),
    message,
    ...(received === undefined || isRecord(received) ? {} : { value }),
    origin: leafNear(known.layer, path)?.source.origin ?? "default",
    ...(suggestion === null ? {} : { suggestion }),
  };
}

/** True for a secret, and for a value where settings with a secret among them are expected. */
function isSecretAt(path: Path, { layer, fields }: Known): boolean {
  const name = formatPath(path);
  const isDeclared = fields.some((field) => field.isSecret && `${field.path}.`.startsWith(`${name}.`));
  return isDeclared || leafAt(layer, path)?.leaf.isSecret === true;
}

/** The setting or group that has this very name in another place. */
function sameNameElsewhere(key: string, fields: readonly Field[]): string | null {
  for (const { path } of fields) {
    const steps = path.split(".");
    const depth = path.includes("[]") ? -1 : steps.indexOf(key);
    if (depth !== -1) return steps.slice(0, depth + 1).join(".");
  }
  return null;
}

/** The setting or group directly below `parent` that `fieldPath` belongs to: `smtp` for `mail.smtp.url` below `mail`. */
function childName(fieldPath: string, parent: string): string | null {
  if (parent !== "" && !fieldPath.startsWith(`${parent}.`)) return null;
  const [name = ""] = fieldPath.slice(parent === "" ? 0 : parent.length + 1).split(".");
  return name.replace("[]", "");
}

export function toPath(path: readonly PropertyKey[]): Path {
  return path.map((step) => (typeof step === "symbol" ? String(step) : step));
}
