import { equalSecrets } from "./ids.ts";
import type { Ports } from "./ports.ts";

/** What a signed link is good for, `<engine>.<what>`: one purpose never passes for another. */
export type Purpose = `${string}.${string}`;

/** The secret part of a link: the partition, what it is about, and a signature over both. */
export function makeToken(ports: Pick<Ports, "sign">, purpose: Purpose, part: string, id: string): string {
  const name = Buffer.from(`${part}.${id}`, "utf8").toString("base64url");
  return `${name}.${ports.sign(purpose, name)}`;
}

/** Where a token leads; null for one that was not made here for this purpose. */
export function openToken(
  ports: Pick<Ports, "sign">,
  purpose: Purpose,
  token: string,
): { readonly part: string; readonly id: string } | null {
  const [name = "", signature = "", ...more] = token.split(".");
  if (more.length > 0 || !equalSecrets(signature, ports.sign(purpose, name))) return null;
  const [part = "", id = ""] = Buffer.from(name, "base64url").toString("utf8").split(".");
  return { part, id };
}
