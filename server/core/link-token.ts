import { equalSecrets } from "./ids.ts";
import type { Ports } from "./ports.ts";

/** What a signed link is good for, `<engine>.<what>`: one purpose never passes for another. */
export type Purpose = `${string}.${string}`;

export interface LinkTarget {
  readonly part: string;
  /** The first of `names`. */
  readonly id: string;
  readonly names: readonly string[];
}

/** The secret part of a link: the partition, the names of what it opens (without dots), and a signature over both. */
export function makeToken(
  ports: Pick<Ports, "sign">,
  purpose: Purpose,
  part: string,
  ...names: readonly string[]
): string {
  const text = Buffer.from([part, ...names].join("."), "utf8").toString("base64url");
  return `${text}.${ports.sign(purpose, text)}`;
}

/** Where a token leads; null for one that was not made here for this purpose. */
export function openToken(ports: Pick<Ports, "sign">, purpose: Purpose, token: string): LinkTarget | null {
  const [text = "", signature = "", ...more] = token.split(".");
  if (more.length > 0 || !equalSecrets(signature, ports.sign(purpose, text))) return null;
  // Links of catering that were sent before have lines instead of dots.
  const [part = "", ...names] = Buffer.from(text, "base64url").toString("utf8").split(/[.\n]/);
  return { part, id: names[0] ?? "", names };
}
