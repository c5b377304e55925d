import { equalSecrets } from "../../../core/ids.ts";
import type { Ports } from "../../../core/ports.ts";

/** What a signed link is for; a link of one kind passes for no other. */
export type LinkKind = "quote" | "approval" | "rsvp" | "group" | "order" | "feed" | "invoice";

type Signing = Pick<Ports, "sign">;

/** The secret part of a link: the store's partition and the names of what it opens, signed. */
export function makeToken(
  ports: Signing,
  kind: LinkKind,
  { part, names }: { readonly part: string; readonly names: readonly string[] },
): string {
  const text = Buffer.from([part, ...names].join("\n"), "utf8").toString("base64url");
  return `${text}.${ports.sign(`catering.${kind}`, text)}`;
}

/** What a token opens; null for one that was not made here for this use. */
export function openToken(
  ports: Signing,
  kind: LinkKind,
  token: string,
): { readonly part: string; readonly names: readonly string[] } | null {
  const [text = "", signature = "", ...more] = token.split(".");
  if (more.length > 0 || !equalSecrets(signature, ports.sign(`catering.${kind}`, text))) return null;
  const [part = "", ...names] = Buffer.from(text, "base64url").toString("utf8").split("\n");
  return { part, names };
}
