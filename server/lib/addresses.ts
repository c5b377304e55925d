import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";

/** Addresses that are not of the public internet (IANA special-purpose registries, RFC 6890 and later). */
const SPECIAL_V4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const;
/** Of IPv6 only 2000::/3 is given out; these parts of it are special all the same. */
const SPECIAL_V6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const;

const special = new BlockList();
for (const [net, prefix] of SPECIAL_V4) special.addSubnet(net, prefix, "ipv4");
for (const [net, prefix] of SPECIAL_V6) special.addSubnet(net, prefix, "ipv6");
const given = new BlockList();
given.addSubnet("2000::", 3, "ipv6");
/** Teredo and 6to4: what is sent there can lead anywhere, but clients of the internet have such addresses. */
const tunnels = new BlockList();
tunnels.addSubnet("2001::", 32, "ipv6");
tunnels.addSubnet("2002::", 16, "ipv6");

/** True for an address of the public internet: not loopback, private, link-local, shared, multicast or mapped. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  if (isIPv4(address)) return !special.check(address, "ipv4");
  return given.check(address, "ipv6") && !special.check(address, "ipv6");
}

/** True for an address that a client of the internet can have. */
export const isClientAddress = (address: string): boolean =>
  isPublicAddress(address) || (isIPv6(address) && tunnels.check(address, "ipv6"));
