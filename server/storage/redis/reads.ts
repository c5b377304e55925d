import type { Doc, Page, PageOptions, StoreDriver } from "../contract.ts";
import { assertPage, splitKey } from "../keys.ts";
import type { KeyParts } from "../keys.ts";
import { createMemo } from "../memo.ts";
import { charsOf, nameOf } from "../pages.ts";
import { toDoc } from "./doc.ts";
import { corrupt, toArray } from "./errors.ts";
import { createShared } from "./turns.ts";
import type { Step, TurnCall, Turns } from "./turns.ts";

/** Characters of documents, and again of pages, that a node keeps. */
const CHARS_MAX = 16_777_216;
/** Longer pages and groups are what tools walk through to verify or copy: they are read in Redis. */
const PAGE_KEPT_MAX = 500;
/** A list asks for one more document than a page has. */
const DOCS_KEPT_MAX = 101;
/** Larger pages of a collection are read one after another, and not among what others wait for. */
const LARGE_PAGE_CHARS = 262_144;
/** Characters of names of collections of which the size of documents is known. */
const SIZES_CHARS_MAX = 1_048_576;

/** What was read, and the revisions of its collections at that moment. */
interface Known<T> {
  readonly value: T;
  readonly revisions: readonly string[];
}

/** Something to read in one partition. */
interface Reading<T> {
  readonly name: string;
  readonly part: string;
  /** Documents that it reads at most. */
  readonly docs: number;
  /** What it is in line with, if it is large. */
  readonly line?: string;
  readonly isKept: boolean;
  /** Adds its question; the result has the collections that it depends on, as `known` has their revisions. */
  readonly ask: (
    call: TurnCall,
    known: readonly string[],
  ) => { readonly step: Step; readonly slots: number[] };
  readonly decode: (reply: unknown) => T;
}

/**
 * Reads share one call with all others of the turn. A node keeps what it has read; Redis compares the revisions and answers with
 * what has changed only, so that each read is as current as if it had carried everything.
 */
export function createReads(turns: Turns): Pick<StoreDriver, "get" | "getMany" | "page"> {
  const readDocs = createReader<readonly (Doc | null)[]>(turns, (docs) => docs);
  const readPage = createReader<Page>(turns, ({ items }) => items);
  return {
    async get(key) {
      return (await readDocs(toGroup([splitKey(key)])))[0] ?? null;
    },
    async getMany(keys) {
      const groups = groupByPart(keys.map(splitKey));
      const found: (Doc | null)[] = keys.map(() => null);
      const readGroup = async (wanted: readonly Wanted[]): Promise<void> => {
        const docs = await readDocs(toGroup(wanted.map(({ key }) => key)));
        for (const [i, { index }] of wanted.entries()) found[index] = docs[i] ?? null;
      };
      await Promise.all([...groups.values()].map(readGroup));
      return found;
    },
    async page(part, coll, options) {
      assertPage(part, coll, options);
      return readPage(toPage(part, coll, options));
    },
  };
}

/** Large readings that wait for each other. */
interface Line<T> {
  /** By name, those that have not begun: what is asked now may have their answer. */
  readonly waiting: Map<string, Promise<T>>;
  /** Ends with the last one. */
  end: Promise<unknown>;
}

function createReader<T>(
  turns: Turns,
  docsOf: (value: T) => readonly (Doc | null)[],
): (reading: Reading<T>) => Promise<T> {
  const memo = createMemo<Known<T>>(CHARS_MAX);
  const shared = createShared<Promise<T>>();
  /** Characters of a document of a line, by the reading before. */
  const sizes = createMemo<number>(SIZES_CHARS_MAX);
  const lines = new Map<string, Line<T>>();

  async function ask(reading: Reading<T>, call: TurnCall, known: Known<T> | undefined): Promise<T> {
    const { step, slots } = reading.ask(call, known?.revisions ?? []);
    const answers = await call.answered;
    const reply = answers.of(step);
    if (reply === 1 && known !== undefined) return known.value;
    const value = reading.decode(reply);
    const docs = docsOf(value);
    const chars = charsOf(docs);
    if (reading.line !== undefined)
      sizes.keep(reading.line, chars / Math.max(1, docs.length), reading.line.length);
    const revisions = slots.flatMap((slot) => answers.revision(slot) ?? []);
    if (reading.isKept && revisions.length === slots.length)
      memo.keep(reading.name, { value, revisions }, reading.name.length + chars);
    return value;
  }

  function read(reading: Reading<T>, isLarge = false): Promise<T> {
    const known = reading.isKept ? memo.get(reading.name) : undefined;
    const call = turns.join(reading.part, known === undefined ? reading.docs : 0, isLarge);
    return shared(call, reading.name, () => ask(reading, call, known));
  }

  function readInLine(reading: Reading<T>, name: string): Promise<T> {
    const line = lines.get(name) ?? { waiting: new Map<string, Promise<T>>(), end: Promise.resolve() };
    lines.set(name, line);
    const waiting = line.waiting.get(reading.name);
    if (waiting !== undefined) return waiting;
    const result = line.end.then(() => {
      line.waiting.delete(reading.name);
      return read(reading, true);
    });
    line.waiting.set(reading.name, result);
    const end = result.then(ignore, ignore).then(() => {
      if (line.end === end) lines.delete(name);
    });
    line.end = end;
    return result;
  }

  return (reading) => {
    const { line, docs } = reading;
    const isSmall = line === undefined || (sizes.get(line) ?? Infinity) * docs <= LARGE_PAGE_CHARS;
    return isSmall ? read(reading) : readInLine(reading, line);
  };
}

const ignore = (): void => undefined;

/** Documents of one partition at one moment. */
function toGroup(keys: readonly KeyParts[]): Reading<readonly (Doc | null)[]> {
  const part = keys[0]?.part ?? "";
  return {
    name: keys.map(({ coll, id }) => `${coll}:${id}`).join(" ") + ` ${part}`,
    part,
    docs: keys.length,
    isKept: keys.length <= DOCS_KEPT_MAX,
    ask(call, known) {
      const { docs } = call.own(part);
      const slots = keys.map(({ coll }) => call.slot(part, coll));
      const args = keys.flatMap(({ coll, id }, i) => [
        call.key(docs(coll)),
        id,
        slots[i] ?? 0,
        known[i] ?? "",
      ]);
      return { step: call.ask("docs", [keys.length, ...args]), slots };
    },
    decode(reply) {
      const raws = toArray(reply);
      return keys.map(({ coll, id }, i) => toDoc(`${part}:${coll}:${id}`, raws[i]));
    },
  };
}

function toPage(part: string, coll: string, options: PageOptions): Reading<Page> {
  const { limit, of, after = "", prefix = "" } = options;
  return {
    name: nameOf(part, coll, options),
    part,
    docs: limit,
    line: `${part}:${of ?? coll}`,
    isKept: limit <= PAGE_KEPT_MAX,
    ask(call, known) {
      const own = call.own(part);
      const lowest = after !== "" && after >= prefix ? `(${after}` : prefix === "" ? "-" : `[${prefix}`;
      // Ids end below this character, so it bounds all that begin with the prefix.
      const highest = prefix === "" ? "+" : `(${prefix}\u007F`;
      const slots = [call.slot(part, coll), call.slot(part, of ?? coll)];
      const step = call.ask("page", [
        call.key(own.order(coll)),
        call.key(own.docs(of ?? coll)),
        lowest,
        highest,
        limit,
        of === undefined ? "0" : "1",
        ...slots.flatMap((slot, i) => [slot, known[i] ?? ""]),
      ]);
      return { step, slots };
    },
    decode: (reply) => decodePage(reply, `${part}:${of ?? coll}`, of !== undefined),
  };
}

function decodePage(reply: unknown, root: `${string}:${string}`, isIndex: boolean): Page {
  const [more, ...lists] = toArray(reply);
  const ids = toArray(lists[0]).map(String);
  const raws = toArray(lists[1]);
  const items: Doc[] = [];
  for (const [i, id] of ids.entries()) {
    const target = isIndex ? id.slice(id.lastIndexOf("~") + 1) : id;
    const doc = toDoc(`${root}:${target}`, raws[i]);
    if (doc !== null) items.push(doc);
    // An index entry may point nowhere; a listed document must be there.
    else if (!isIndex) throw corrupt(`${root}:${id} is listed but does not exist`);
  }
  const next = ids.at(-1);
  return more === 1 && next !== undefined ? { items, next } : { items };
}

/** A document asked for, and its place in the answer. */
interface Wanted {
  readonly index: number;
  readonly key: KeyParts;
}

function groupByPart(keys: readonly KeyParts[]): Map<string, Wanted[]> {
  const groups = new Map<string, Wanted[]>();
  for (const [index, key] of keys.entries()) {
    const group = groups.get(key.part);
    if (group === undefined) groups.set(key.part, [{ index, key }]);
    else group.push({ index, key });
  }
  return groups;
}
