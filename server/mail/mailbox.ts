import { fromInstant } from "../lib/instant.ts";
import { mapInSlices } from "../lib/slices.ts";
import { fromText } from "../core/collection.ts";
import type { Doc, PageOptions, StoreDriver } from "../storage/contract.ts";
import { MAIL_PART, mailCollection, mailKey, replaceOps, toFiledAbout, toFiledAddress } from "./record.ts";
import type { MailRecord } from "./record.ts";

export interface MailPage {
  readonly items: readonly MailRecord[];
  /** Pass as `after` for the next page; null on the last. */
  readonly next: string | null;
}

export interface MailBacklog {
  /** Mails that are neither delivered nor given up. */
  readonly waiting: number;
  /** The oldest of the mails that are due next; null when none waits. */
  readonly oldest_created_at: string | null;
  /** Why the latest attempt for one of those failed; null when none failed yet. */
  readonly last_error: string | null;
}

/** What can be seen and done with stored mail. Every listing is newest first. */
export interface Mailbox {
  get(id: string): Promise<MailRecord | null>;
  list(query: { readonly limit: number; readonly after?: string | undefined }): Promise<MailPage>;
  listTo(
    address: string,
    query: { readonly limit: number; readonly after?: string | undefined },
  ): Promise<MailPage>;
  /** The link of the newest mail to this address whose link has not expired, delivered or not; null if there is none. */
  findLink(address: string, nowMs: number): Promise<string | null>;
  backlog(): Promise<MailBacklog>;
  /**
   * Deletes all mail to an address or about its owner, as the erasure of a person demands; with `part` only what that
   * store wrote. Resolves to the number of mails.
   */
  forget(address: string, part?: string): Promise<number>;
  /** Deletes finished mail whose time is up, at most `limit`. Resolves to the number of mails. */
  purge(nowMs: number, limit: number): Promise<number>;
}

const BACKLOG_SAMPLE = 100;
const BACKLOG_BYTES = 1_000_000;
/** Mails per commit of a deletion; each is six operations at most. */
const DELETE_BATCH = 20;

/** Reads stored mail as a value. */
export const toMail = (doc: Doc): MailRecord => fromText(mailCollection, doc.value);

/** The same for many, with pauses: a hundred large ones take more than 100 ms. */
const toMails = (docs: readonly Doc[]): Promise<MailRecord[]> => mapInSlices(docs, MAIL_PART, toMail);

/** One page of an index of the mail collection. */
export async function pageMail(store: StoreDriver, index: string, options: Omit<PageOptions, "of">) {
  return store.page(MAIL_PART, `ix.mail.${index}`, { ...options, of: "mail" });
}

export function createMailbox(store: StoreDriver): Mailbox {
  async function list(
    index: string,
    prefix: string,
    query: { limit: number; after?: string | undefined },
  ): Promise<MailPage> {
    const { limit, after } = query;
    const page = await pageMail(store, index, { prefix, limit, ...(after === undefined ? {} : { after }) });
    return { items: await toMails(page.items), next: page.next ?? null };
  }

  /** Deletes what still is as it was read; a mail that changed meanwhile is left for the next round. */
  async function remove(docs: readonly Doc[]): Promise<number> {
    const ops = docs.flatMap((doc) => replaceOps(toMail(doc), null));
    const checks = docs.map(({ key, version }) => ({ key, version }));
    const result = await store.commit(MAIL_PART, ops, checks);
    return result.ok ? docs.length : 0;
  }

  async function forgetFiled(filed: string, part: string | undefined): Promise<number> {
    let count = 0;
    let after: string | undefined;
    for (;;) {
      const options = { prefix: `${filed}@`, limit: DELETE_BATCH, ...(after === undefined ? {} : { after }) };
      const { items, next } = await pageMail(store, "to", options);
      const own = items.filter((doc) => part === undefined || toMail(doc).part === part);
      const removed = own.length === 0 ? 0 : await remove(own);
      count += removed;
      // A mail that changed meanwhile is looked at again from where this page began.
      if (removed < own.length) continue;
      if (next === undefined) return count;
      after = next;
    }
  }

  const listTo: Mailbox["listTo"] = (address, query) => list("to", `${toFiledAddress(address)}@`, query);

  return {
    async get(id) {
      const doc = await store.get(mailKey(id));
      return doc === null ? null : toMail(doc);
    },
    list: (query) => list("new", "@", query),
    listTo,
    async findLink(address, nowMs) {
      const { items } = await listTo(address, { limit: DELETE_BATCH });
      return items.find((mail) => mail.link !== null && fromInstant(mail.expires_at) > nowMs)?.link ?? null;
    },
    async backlog() {
      const collections = await store.collections(MAIL_PART);
      const query = { prefix: "@", limit: BACKLOG_SAMPLE, bytes: BACKLOG_BYTES };
      const { items } = await pageMail(store, "due", query);
      const mails = (await toMails(items)).sort((one, other) => (one.created_at < other.created_at ? -1 : 1));
      return {
        waiting: collections.find(({ name }) => name === "ix.mail.due")?.count ?? 0,
        oldest_created_at: mails[0]?.created_at ?? null,
        last_error: mails.find((mail) => mail.last_error !== null)?.last_error ?? null,
      };
    },
    async forget(address, part) {
      const to = await forgetFiled(toFiledAddress(address), part);
      return to + (await forgetFiled(toFiledAbout(address), part));
    },
    async purge(nowMs, limit) {
      const { items } = await pageMail(store, "purge", { prefix: "@", limit: Math.min(limit, DELETE_BATCH) });
      const over = items.filter((doc) => fromInstant(toMail(doc).purge_at ?? "") <= nowMs);
      return over.length === 0 ? 0 : remove(over);
    },
  };
}
