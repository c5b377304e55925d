import { sha256Hex } from "../../../core/ids.ts";

/**
 * The hash that an acceptance is bound to: SHA-256 over the quote's id, the number of the version and all that the
 * customer is shown, written with sorted members, so that the same content has the same hash in every storage.
 */
export const quoteHash = (quoteId: string, v: number, content: object): string =>
  sha256Hex(canonical({ quote_id: quoteId, v, content }));

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}
