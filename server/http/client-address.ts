import { BlockList, isIP, isIPv6 } from "node:net";

/**
 * The address that a request came from: the peer, or behind a trusted proxy the last address of X-Forwarded-For that
 * is not a trusted proxy itself. What a client writes into that header is never believed.
 * `trusted` holds addresses and CIDR ranges. Null where there is no peer (a call inside the process).
 */
export function clientAddress(
  peer: string | null,
  forwardedFor: string | undefined,
  trusted: readonly string[],
): string | null {
  if (peer === null) return null;
  const isTrusted = createMatcher(trusted);
  let client = plain(peer);
  // From its end, no further than is believed: a client may write 15 KB of commas into it, which take milliseconds to cut.
  for (let rest = forwardedFor; rest !== undefined && isTrusted(client);) {
    const at = rest.lastIndexOf(",");
    const before = plain(rest.slice(at + 1).trim());
    if (isIP(before) === 0) break;
    client = before;
    rest = at < 0 ? undefined : rest.slice(0, at);
  }
  return client;
}

/** True for an address of this machine itself. */
export const isLoopback = (address: string): boolean => address === "::1" || address.startsWith("127.");

/** What one client can hardly leave: an IPv4 address, or the /64 of an IPv6 address. */
export function addressBlock(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("%", 1)[0]?.split("::") ?? [];
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const gap =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  return [...left, ...gap, ...right]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join("-");
}

/** What one person can easily have: an IPv4 address, or the /48 of an IPv6 address, which tunnel brokers give to anybody. */
export const addressNetwork = (address: string): string => addressBlock(address).split("-", 3).join("-");

/** Without a port, which some proxies append (Azure Application Gateway, AWS on request): `203.0.113.9:4711`, `[2001:db8::7]:4711`. */
const plain = (address: string): string =>
  address
    .replace(/^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/, "$1$2")
    .replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");

/** Whether an address is one of a list of addresses and CIDR ranges. */
export function createMatcher(ranges: readonly string[]): (address: string) => boolean {
  if (ranges.length === 0) return () => false;
  const list = new BlockList();
  for (const range of ranges) {
    const [base = "", bits] = range.split("/");
    const family = isIPv6(base) ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(base, family);
    else list.addSubnet(base, Number(bits), family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}
