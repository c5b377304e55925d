import { z } from "zod";

import { shorten } from "../../../lib/shorten.ts";

const Severity = z.enum(["money", "availability", "content"]);
type Severity = z.output<typeof Severity>;

/** Data lost in a conversion: a path in the JSON of the other system or in our menu, and the reason. */
export const Loss = z.object({
  path: z.string().meta({
    description: "JSON pointer; * stands for every index or key at which the same loss occurred",
  }),
  reason: z.string(),
  severity: Severity.meta({
    description:
      "What is affected: prices, tax and limits of a choice; when and where it is sold; anything else",
  }),
  count: z.int().positive().meta({ description: "Number of occurrences" }),
});
export type Loss = z.output<typeof Loss>;

export type Path = readonly (string | number)[];

/** A document of another system during export. */
export type Json = Readonly<Record<string, unknown>>;

/** A part of a document with its path. */
export interface Found<T> {
  readonly value: T;
  readonly path: Path;
}

export interface Losses {
  /** Reports a loss. The same reason at similar paths is reported once, with its count. */
  add(path: Path, reason: string, severity?: Severity): void;
  readonly list: () => Loss[];
}

interface Reported extends Pick<Loss, "reason" | "severity"> {
  readonly path: Path;
  count: number;
}

/** Losses per response; the last one summarises the rest. */
const LOSSES_MAX = 200;

/** `maps` lists the fields that are maps by id, whose keys are merged into one path. */
export function createLosses(maps: readonly string[] = []): Losses {
  const losses = new Map<string, Reported>();
  return {
    add(path, reason, given) {
      const short = shortenParts(path);
      const severity = given ?? severityOf(short);
      const key = `${pointer(widen(short, maps))} ${reason}`;
      const before = losses.get(key);
      if (before === undefined) losses.set(key, { path: short, reason, severity, count: 1 });
      else before.count += 1;
    },
    list() {
      // Without sorting or writing those that are omitted: a large menu has tens of thousands.
      const bySeverity = new Map(SEVERITIES.map((severity) => [severity, [] as Reported[]]));
      for (const loss of losses.values()) bySeverity.get(loss.severity)?.push(loss);
      const all = [...bySeverity.values()].flat();
      const isCut = all.length > LOSSES_MAX;
      const listed = all
        .slice(0, isCut ? LOSSES_MAX - 1 : LOSSES_MAX)
        .map(({ path, reason, severity, count }) => ({
          path: pointer(count === 1 ? path : widen(path, maps)),
          reason,
          severity,
          count,
        }));
      if (!isCut) return listed;
      const more = all.slice(LOSSES_MAX - 1);
      const count = more.reduce((sum, loss) => sum + loss.count, 0);
      const severity = more[0]?.severity ?? "content";
      return [...listed, { path: "", reason: "Further losses are omitted.", severity, count }];
    },
  };
}

/** Two lists as one, money first. */
export const joinLosses = (one: readonly Loss[], other: readonly Loss[]): Loss[] =>
  [...one, ...other].sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));

const SEVERITIES = Severity.options;
const MONEY =
  /price|pricing|tax|charge|money|currency|discount|deposit|surcharge|fee|cost|^min|^max|multiMax|free_|quantity|selection|substitut|_by_default|pre_?modifiers|portions/i;
const AVAILABILITY =
  /availab|schedule|hours|visib|hidden|sold_out|snooze|suspen|stock|location|channels|enabled|online|time_period|valid_/i;

/** Fields whose names resemble those above, and which concern neither. */
const NEITHER =
  /multiLocation|stockable|track_inventory|inventory_alert|max_length|discountable|applies_to_custom|on_by_default$/i;

/** By the names of the fields in the path. */
function severityOf(path: Path): Severity {
  const names = path.filter((part) => typeof part === "string").map(String);
  if (NEITHER.test(names.at(-1) ?? "")) return "content";
  if (names.some((name) => MONEY.test(name))) return "money";
  return names.some((name) => AVAILABILITY.test(name)) ? "availability" : "content";
}

/** Longer names of fields and ids are shortened in losses: a key of megabytes would be in the path of each field below it. */
const NAME_CHARS = 200;

const shortenParts = (path: Path): Path =>
  path.map((part) => (typeof part === "string" ? shorten(part, NAME_CHARS) : part));

/** JSON pointer (RFC 6901). */
export const pointer = (path: Path): string =>
  path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

const widen = (path: Path, maps: readonly string[]): Path =>
  path.map((part, at) => (typeof part === "number" || maps.includes(String(path[at - 1])) ? "*" : part));
