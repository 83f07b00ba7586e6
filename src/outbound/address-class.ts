// Decides which addresses Millrace may call. It refuses everything that is not plainly public: the ranges of IANA's special-purpose
// registries. It judges an IPv6 form that carries an IPv4 address by that address.
//
//   public    anybody's server on the internet
//   private   the operator's own network: loopback, private, link-local, shared (CGNAT), unique local; a setting can allow it
//   never     unspecified, multicast, reserved, cloud metadata: refused whatever the settings say
import { BlockList, isIPv4, isIPv6 } from 'node:net';

export type AddressClass = 'public' | 'private' | 'never';

const never = rangesOf([
  ['0.0.0.0', 8], // unspecified; reaches loopback on Linux
  ['169.254.169.254', 32], // metadata of AWS, Azure, Google, Oracle
  ['169.254.170.2', 32], // credentials of AWS containers
  ['169.254.170.23', 32],
  ['100.100.100.200', 32], // metadata of Alibaba
  ['168.63.129.16', 32], // the host of an Azure machine
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
  ['::', 128],
  ['fd00:ec2::254', 128], // metadata of AWS
  ['fd00:ec2::23', 128],
  ['fd20:ce::254', 128], // metadata of Google
  ['ff00::', 8], // multicast
]);

const privateV4 = rangesOf([
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // shared address space (CGNAT)
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16],
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
]);

/** The only IPv6 addresses handed out on the internet, less those with a meaning of their own. */
const globalV6 = rangesOf([['2000::', 3]]);
const specialV6 = rangesOf([
  ['2001::', 23], // Teredo (an IPv4 address in disguise), ORCHID, benchmarks
  ['2001:db8::', 32], // documentation
  ['3fff::', 20], // documentation
]);

/** The class of an address as the resolver or a URL gives it, with or without brackets and zone. */
export function classifyAddress(address: string): AddressClass {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  if (isIPv4(bare)) return classifyV4(bare);
  if (isIPv6(bare)) return classifyV6(bare);
  return 'never';
}

function classifyV4(address: string): AddressClass {
  if (never.check(address, 'ipv4')) return 'never';
  return privateV4.check(address, 'ipv4') ? 'private' : 'public';
}

function classifyV6(address: string): AddressClass {
  const carried = carriedV4(groupsOf(address));
  if (carried !== undefined) return classifyV4(carried);
  if (never.check(address, 'ipv6')) return 'never';
  return globalV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6') ? 'public' : 'private';
}

/** The IPv4 address inside a mapped (::ffff:a.b.c.d), translated (::ffff:0:…), NAT64 or 6to4 address. */
function carriedV4(groups: readonly number[]): string | undefined {
  const [g0 = 0, g1 = 0, g2 = 0, g3 = 0, g4 = 0, g5 = 0, g6 = 0, g7 = 0] = groups;
  if (g0 === 0x2002) return dotted(g1, g2);
  const isNat64 = g0 === 0x64 && g1 === 0xff9b && (g2 | g3 | g4 | g5) === 0;
  const startsEmpty = (g0 | g1 | g2 | g3) === 0;
  const isMapped = startsEmpty && ((g4 === 0 && g5 === 0xffff) || (g4 === 0xffff && g5 === 0));
  return isNat64 || isMapped ? dotted(g6, g7) : undefined;
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/** The eight groups; the URL parser has one spelling for all. */
function groupsOf(address: string): number[] {
  const [left = '', right] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const parse = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  if (right === undefined) return parse(left);
  const [head, tail] = [parse(left), parse(right)];
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

function rangesOf(ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [address, bits] of ranges) list.addSubnet(address, bits, isIPv4(address) ? 'ipv4' : 'ipv6');
  return list;
}
