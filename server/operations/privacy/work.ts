import { fromText, personalCollections } from "../../core/collection.ts";
import type { Personal } from "../../core/collection.ts";
import { DAY_MS, fromInstant, toInstant } from "../../lib/instant.ts";
import { giveWay } from "../../lib/slices.ts";
import type { StoreDriver } from "../../storage/contract.ts";
import { firstSubjects, follow, isKnown, withoutOthers, withoutPerson } from "./match.ts";
import { counted, erase, todayOf } from "./erase-documents.ts";
import { cut, exportFile, fittingLines } from "./export-documents.ts";
import { stillAt } from "./progress.ts";
import type { PrivacyWork } from "./progress.ts";
import {
  isUncompacted,
  partId,
  PRIVACY_LIMITS,
  privacyParts,
  privacyRequests,
  privacySubjects,
} from "./schema.ts";
import type { PrivacyRequest, Progress } from "./schema.ts";
import { isTestPart } from "../../core/test-clock.ts";

/**
 * Documents of one step, and their bytes: all of them are in memory parsed, each with the people that it names, of whom a large one has room
 * for tens of thousands.
 */
const PAGE = { limit: 200, bytes: 262_144 } as const;
/** Rounds after which the work ends though there was something new in each. */
const ROUNDS_MAX = 10;

/**
 * Does the next step of a request that is verified: one page of one collection, and then records how far it came. A process that dies in
 * between goes on there, and doing a step twice changes nothing. False when there is nothing left to do.
 */
export async function stepRequest(work: PrivacyWork, id: string): Promise<boolean> {
  const state = await work.runTx(work.part, async (tx) => {
    const request = await tx.get(privacyRequests, id);
    const subjects = await tx.get(privacySubjects, id);
    return request === null ? null : { request: request.value, subjects: subjects?.value ?? null };
  });
  if (state === null || state.request.status !== "verified" || state.request.email === null) return false;
  const { request } = state;
  const email = state.request.email;
  const known = new Set(state.subjects?.subjects ?? firstSubjects(email, request.customer_ids));
  const job: Job = { work, request, email, known, shared: state.subjects?.shared ?? [] };
  const progress = request.progress ?? (await startOf(job, "following", 0));
  if (progress === null) return finish(job, request);
  if (progress.phase === "following") return followPage(job, progress);
  return progress.phase === "working" ? workOnPage(job, progress) : checkPage(job, progress);
}

interface Job {
  readonly work: PrivacyWork;
  readonly request: PrivacyRequest;
  readonly email: string;
  readonly known: ReadonlySet<string>;
  readonly shared: readonly string[];
}

/** A document of a page that may be about people. */
interface Entry {
  readonly id: string;
  readonly value: { id: string };
  readonly subjects: readonly string[];
}

interface PageOf {
  readonly entries: readonly Entry[];
  readonly personal: Personal<{ id: string }>;
  /** Where the next page begins; null on the collection's last. */
  readonly next: string | null;
}

/** One page of a collection; the request itself is not in it. */
async function readPage({ work, request }: Job, { part, collection, after }: Progress): Promise<PageOf> {
  const def = personalCollections.get(collection);
  if (def?.personal === undefined)
    throw new Error(`The collection ${collection} is not declared as personal.`);
  const page = await work.store.page(part, collection, { ...PAGE, ...(after === "" ? {} : { after }) });
  const { personal } = def;
  const entries: Entry[] = [];
  for (const { value: text } of page.items) {
    await giveWay(work.part);
    const value = fromText(def, text);
    if (collection === privacyRequests.name && value.id === request.id) continue;
    entries.push({ id: value.id, value, subjects: personal.subjects(value) });
  }
  return { entries, personal, next: page.next ?? null };
}

/** The first place of a phase; null when the store holds nothing about people. */
async function startOf({ work }: Job, phase: Progress["phase"], round: number): Promise<Progress | null> {
  const parts = partsOf(work.part);
  const first = await nextPlace(work.store, parts, { part: parts[0] ?? "", collection: "" });
  return first === null ? null : { phase, round, ...first, after: "", seen: 0, again: false };
}

/** What follows a page: the next one, or the next collection; null at the end of the round. */
async function behind({ work }: Job, progress: Progress, page: PageOf): Promise<Progress | null> {
  const seen = progress.seen + page.entries.length;
  if (page.next !== null) return { ...progress, seen, after: page.next };
  const place = await nextPlace(work.store, partsOf(work.part), progress);
  return place === null ? null : { ...progress, ...place, seen, after: "" };
}

async function followPage(job: Job, progress: Progress): Promise<boolean> {
  const { request, email } = job;
  const page = await readPage(job, progress);
  const known = new Set(job.known);
  const shared = new Set(job.shared);
  const isOwn = (subject: string): boolean => request.customer_ids.some((id) => subject === `customer:${id}`);
  let isUndone = false;
  for (const { subjects } of page.entries) {
    const found = follow(subjects, known, email);
    for (const subject of found.shared) {
      if (isOwn(subject) || !known.has(subject)) continue;
      shared.add(subject);
      isUndone = true;
    }
    for (const subject of found.added) {
      if (!shared.has(subject) && known.size < PRIVACY_LIMITS.subjects) known.add(subject);
    }
  }
  if (isUndone) {
    // What was reached through an id that is not the person's own is dropped: the search starts again without it.
    const subjects = firstSubjects(email, request.customer_ids);
    return save(job, { progress: await startOf(job, "following", 0) }, { subjects, shared: [...shared] });
  }
  const again = progress.again || known.size > job.known.size;
  const next =
    (await behind(job, { ...progress, again }, page)) ??
    (again && progress.round < ROUNDS_MAX
      ? await startOf(job, "following", progress.round + 1)
      : await startOf(job, "working", 0));
  return save(
    job,
    { progress: next, shared_ids: shared.size },
    { subjects: [...known], shared: [...shared] },
  );
}

const isAbout = (known: ReadonlySet<string>, { subjects }: Entry): boolean =>
  subjects.some((subject) => isKnown(known, subject));

async function workOnPage(job: Job, progress: Progress): Promise<boolean> {
  const { request, known, work } = job;
  const page = await readPage(job, progress);
  const about = page.entries.filter((entry) => isAbout(known, entry));
  if (request.type === "erase") {
    const counts = await erase(work, progress, about, known);
    const evidence = counted(request, progress.collection, counts);
    const next = (await behind(job, progress, page)) ?? (await startOf(job, "checking", progress.round));
    return save(job, { progress: next, evidence });
  }
  const lines = await fittingLines(about, work.part, async ({ value }) => {
    const document = await withoutOthers(page.personal, value, known, work.part);
    return `${JSON.stringify({ part: progress.part, collection: progress.collection, document })}\n`;
  });
  const found = about.slice(0, lines.length);
  const last = found.at(-1);
  const next =
    last === undefined || found.length === about.length
      ? await behind(job, progress, page)
      : { ...progress, seen: progress.seen + page.entries.indexOf(last) + 1, after: last.id };
  let exported = request;
  for (const { id } of found) {
    const next = await exportFile(work, exported, progress, id);
    if (next === null) return false;
    exported = next;
  }
  const pieces = cut(lines.join(""), PRIVACY_LIMITS.partChars).slice(
    0,
    PRIVACY_LIMITS.parts - exported.parts,
  );
  const evidence = counted(request, progress.collection, { changed: found.length, removed: 0, held: [] });
  const parts = exported.parts + pieces.length;
  const change = { progress: next, evidence, parts };
  const saved = await work.runTx(work.part, async (tx) => {
    const stored = await stillAt(tx, request);
    if (stored === null) return null;
    for (const [at, text] of pieces.entries()) {
      tx.create(privacyParts, { id: partId(request.id, exported.parts + at), request_id: request.id, text });
    }
    return tx.put(privacyRequests, stored, { ...stored.value, ...change, updated_at: toInstant(work.now) })
      .value;
  });
  if (saved === null) return false;
  return next === null ? finish(job, saved) : true;
}

async function checkPage(job: Job, progress: Progress): Promise<boolean> {
  const { request, known, work } = job;
  const page = await readPage(job, progress);
  let left = 0;
  for (const entry of page.entries) {
    if (!isAbout(known, entry)) continue;
    await giveWay(work.part);
    const { value } = entry;
    if (withoutPerson(page.personal, value, known, todayOf(work)).value !== value) left += 1;
  }
  const again = progress.again || left > 0;
  const next = await behind(job, { ...progress, again }, page);
  const evidence = { ...request.evidence, left: request.evidence.left + left };
  if (next !== null) return save(job, { progress: next, evidence });
  // Something came in while the work went on: once more.
  if (again && progress.round < ROUNDS_MAX) {
    const start = await startOf(job, "working", progress.round + 1);
    return save(job, { progress: start, evidence: { ...evidence, left: 0, retained: [] } });
  }
  return finish(job, { ...request, evidence });
}

/** Records how far the work came, unless another process went on with it meanwhile. */
async function save(
  { work, request }: Job,
  change: Partial<PrivacyRequest>,
  whom?: { readonly subjects: string[]; readonly shared: string[] },
): Promise<boolean> {
  return work.runTx(work.part, async (tx) => {
    const stored = await stillAt(tx, request);
    if (stored === null) return false;
    tx.put(privacyRequests, stored, { ...stored.value, ...change, updated_at: toInstant(work.now) });
    if (whom !== undefined) {
      const before = await tx.get(privacySubjects, request.id);
      tx.save(privacySubjects, before, { id: request.id, ...whom });
    }
    return true;
  });
}

/** Ends the work: from here on nothing of an erased person is in the request either. */
async function finish({ work }: Job, request: PrivacyRequest): Promise<false> {
  const isErasure = request.type === "erase";
  let mails = 0;
  if (isErasure && request.email !== null) {
    for (const part of partsOf(work.part)) mails += await work.mail.forget(request.email, part);
  }
  const nowAt = toInstant(work.now);
  const expires = toInstant(work.now + PRIVACY_LIMITS.exportDays * DAY_MS);
  const ended = await work.runTx(work.part, async (tx) => {
    const stored = await tx.require(privacyRequests, request.id);
    const whom = await tx.get(privacySubjects, request.id);
    if (whom !== null) tx.remove(privacySubjects, whom);
    return tx.put(privacyRequests, stored, {
      ...stored.value,
      status: "done",
      email: isErasure ? null : stored.value.email,
      customer_ids: isErasure ? [] : stored.value.customer_ids,
      evidence: { ...request.evidence, mails },
      progress: null,
      done_at: nowAt,
      retry_at: null,
      updated_at: nowAt,
      expires_at: isErasure ? null : expires,
    }).value;
  });
  if (isUncompacted(ended)) await compactAfter(work, ended);
  return false;
}

/** Removes what a request erased from the files of a log, or leaves that to a later call. */
export async function compactAfter(
  { compact, part, runTx }: Pick<PrivacyWork, "compact" | "part" | "runTx">,
  { done_at: doneAt, id }: PrivacyRequest,
): Promise<void> {
  if (doneAt === null || !(await compact(fromInstant(doneAt)))) return;
  await runTx(part, async (tx) => {
    const stored = await tx.require(privacyRequests, id);
    const evidence = { ...stored.value.evidence, compacted: true };
    tx.put(privacyRequests, stored, { ...stored.value, evidence });
  });
}

/** Partitions that a request is about: a store's live data and its test data, or its test data alone. */
const partsOf = (part: string): string[] => (isTestPart(part) ? [part] : [part, `${part}_test`]);

/** Where to go on after a collection: the next one that holds something about people; null at the end. */
async function nextPlace(
  store: Pick<StoreDriver, "collections">,
  parts: readonly string[],
  { part, collection }: Pick<Progress, "part" | "collection">,
): Promise<Pick<Progress, "part" | "collection"> | null> {
  for (const one of parts) {
    if (one < part) continue;
    const names = (await store.collections(one)).map(({ name }) => name);
    const next = names.find((name) => personalCollections.has(name) && (one > part || name > collection));
    if (next !== undefined) return { part: one, collection: next };
  }
  return null;
}
