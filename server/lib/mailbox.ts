/** Providers whose mailboxes ignore dots, by their domain → the domain they are the same as. */
const DOTLESS = new Map([
  ["gmail.com", "gmail.com"],
  ["googlemail.com", "gmail.com"],
]);

/** The mailbox that an address in lower case leads to: without its tag, and without dots where the provider ignores them. */
export function mailboxOf(address: string): string {
  const at = address.lastIndexOf("@");
  const domain = address.slice(at + 1);
  const local = address.slice(0, at).split("+", 1)[0] ?? "";
  const dotless = DOTLESS.get(domain);
  return dotless === undefined ? `${local}@${domain}` : `${local.replaceAll(".", "")}@${dotless}`;
}
