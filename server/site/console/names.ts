import type { OperationsCtx } from "../../operations/context.ts";
import { customers, keys, stores } from "../../accounts/collections.ts";
import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";

/** What people call customers, stores and keys, by their ids. */
export type Names = ReadonlyMap<string, string>;
export const NO_NAMES: Names = new Map();

const IDS = /\b(?:cus|sto|key)_[0-9A-Z]{26}\b/g;
const ID = /^(cus|sto|key)_[0-9A-Z]{26}$/;
const PAGES: Readonly<Record<string, string>> = { cus: "customers", sto: "stores", key: "keys" };

/** Reads the names of all things that some rows refer to. */
export async function readNames({ tx }: OperationsCtx, rows: unknown): Promise<Names> {
  const ids = [...new Set(JSON.stringify(rows).match(IDS))];
  const of = (prefix: string): string[] => ids.filter((id) => id.startsWith(`${prefix}_`));
  const [people, shops, issued] = [
    await tx.getAll(customers, of("cus")),
    await tx.getAll(stores, of("sto")),
    await tx.getAll(keys, of("key")),
  ];
  const names = new Map<string, string>();
  for (const found of people) if (found !== null) names.set(found.id, found.value.email);
  for (const found of shops) if (found !== null) names.set(found.id, found.value.identifier);
  for (const found of issued) if (found !== null) names.set(found.id, keyName(found.value));
  return names;
}

const keyName = (key: { readonly name: string; readonly prefix: string; readonly last4: string }): string =>
  key.name === "" ? `${key.prefix}…${key.last4}` : key.name;

/** A value of a row; the id of a thing as its name, which leads to its page, with the id in small. */
export function named(value: string, names: Names): Html | string {
  const name = names.get(value);
  const kind = ID.exec(value)?.[1];
  if (name === undefined || kind === undefined) return value;
  return html`<a href="/_/${PAGES[kind] ?? ""}/${value}">${name}</a> <small class="soft">${value}</small>`;
}
