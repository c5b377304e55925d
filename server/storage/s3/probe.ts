import { StoreError } from "../contract.ts";
import type { EtagForm, Objects } from "./objects.ts";

/** Names that a listing by the rules of a language, or without regard to case, would put in another order. */
const IN_ORDER = ["-", "0", "A", "Z", "_", "a", "a-", "a.b", "a@", "aa", "b/a", "b/b", "b0", "z", "~"];

/**
 * Finds out whether this server keeps the promises that commits rest on, by writing and deleting some small objects:
 * create-only, replace-if-unchanged, and listings in the order of bytes that see every finished write. Reports how it takes
 * an ETag in a condition (Ceph before 17 knows it without quotes only). Throws StoreError INVALID for a server that
 * does not: on it, two nodes would overwrite each other.
 */
export async function probeServer(
  objects: Objects,
  folder: string,
  setForm: (form: EtagForm) => void,
): Promise<EtagForm> {
  const keys = IN_ORDER.map((name) => `${folder}/${name}`);
  try {
    const form = await probeConditions(objects, `${folder}/0`, setForm);
    await probeListing(objects, folder);
    return form;
  } finally {
    // Left-overs do no harm, and the probe itself reports a server that can't delete.
    await Promise.all(keys.map((key) => objects.remove(key).catch(() => {})));
  }
}

async function probeConditions(
  objects: Objects,
  key: string,
  setForm: (form: EtagForm) => void,
): Promise<EtagForm> {
  setForm("quoted");
  const first = await objects.writeText(key, "1", { etag: null });
  if (first === null) throw refused("reports an object that does not exist");
  if ((await objects.writeText(key, "2", { etag: null })) !== null)
    throw refused("ignores If-None-Match: * and overwrites existing objects");
  const wrong = first.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
  if ((await objects.writeText(key, "3", { etag: wrong })) !== null) throw refused("ignores If-Match on PUT");
  for (const form of ["quoted", "unquoted"] as const) {
    setForm(form);
    const second = await objects.writeText(key, "4", { etag: first });
    if (second === null) continue;
    if (second === first) throw refused("returns the same ETag for different contents");
    if ((await objects.writeText(key, "5", { etag: first })) !== null)
      throw refused(`ignores If-Match on PUT when it is ${form}`);
    const read = await objects.readText(key);
    if (read.found !== "text" || read.text !== "4" || read.etag !== second)
      throw refused("does not return what was just written");
    return form;
  }
  throw refused("rejects a valid If-Match on PUT");
}

async function probeListing(objects: Objects, folder: string): Promise<void> {
  const others = IN_ORDER.filter((name) => name !== "0");
  await Promise.all(others.map((name) => objects.writeText(`${folder}/${name}`, name, { etag: null })));
  const prefix = `${folder}/`;
  const all = await objects.list({ prefix });
  const listed = all.entries.map(({ key }) => key.slice(prefix.length));
  if (listed.join(" ") !== IN_ORDER.join(" "))
    throw refused(
      `lists ${listed.join(" ")} instead of ${IN_ORDER.join(" ")}: incomplete or not in byte order`,
    );
  const piece = await objects.list({ prefix, after: `${prefix}a-`, limit: 2 });
  const rest = await objects.list({ prefix, token: piece.token });
  const names = [...piece.entries, ...rest.entries].map(({ key }) => key.slice(prefix.length));
  if (piece.entries.length !== 2 || names.join(" ") !== IN_ORDER.slice(7).join(" "))
    throw refused("does not support start-after and max-keys in listings");
  if (all.entries.some(({ etag, bytes }, i) => etag === "" || bytes !== IN_ORDER[i]?.length))
    throw refused("lists wrong sizes or no ETags");
}

function refused(why: string): StoreError {
  return new StoreError(
    "INVALID",
    `this S3 server ${why}. The driver requires conditional writes (If-None-Match, If-Match) and listings in byte order`,
  );
}
