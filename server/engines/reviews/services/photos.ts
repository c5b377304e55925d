import { detectType, headOf, toPhoto } from "../../../core/image-tasks.ts";
import type { NewId } from "../../../core/ids.ts";
import { makeToken } from "../../../core/link-token.ts";
import type { Ports } from "../../../core/ports.ts";
import type { Tx } from "../../../core/tx.ts";
import type { MessageKey } from "../../../core/words.ts";
import { chunksIn } from "../../../core/contents.ts";
import type { OpenCtx } from "../../../core/route.ts";
import { toInstant } from "../../../lib/instant.ts";
import type { TaskOwner } from "../../../lib/worker-tasks.ts";
import { contents, gonePhoto, photos, reviews } from "../repository.ts";
import type { Review } from "../schema.ts";
import type { Media } from "../schema/parts.ts";
import type { Photo } from "../schema/records.ts";

export const PHOTOS_MAX = 3;
const UPLOAD_BYTES = 10_485_760;
const PHOTO_BYTES = 180_000;
/** How long a photo may wait for its review. */
const WAIT_MS = 3_600_000;
const KINDS = ["image/jpeg", "image/png", "image/webp"];

export interface Upload {
  readonly name: string;
  readonly content: Uint8Array;
}

export interface ReadPhotos {
  readonly photos: readonly (Pick<Photo, "id" | "width" | "height"> & { readonly content: Uint8Array })[];
  readonly wrong: readonly MessageKey[];
}

/** Photos of a review as they are stored: detected by content, scanned, without metadata. */
export async function readPhotos(
  owner: TaskOwner,
  { newId, ports }: { readonly newId: NewId; readonly ports: Pick<Ports, "scan"> },
  uploads: readonly Upload[],
): Promise<ReadPhotos> {
  if (uploads.length > PHOTOS_MAX) return { photos: [], wrong: ["review_page.wrong_photo_count"] };
  const read: ReadPhotos["photos"][number][] = [];
  for (const { content: bytes } of uploads) {
    const wrong = await faultOf(owner, ports, bytes);
    const photo =
      wrong === null ? await toPhoto(owner, { bytes: new Uint8Array(bytes), bytesMax: PHOTO_BYTES }) : null;
    if (photo === null) return { photos: [], wrong: [wrong ?? "review_page.wrong_photo"] };
    read.push({ ...photo, id: newId("rph") });
  }
  return { photos: read, wrong: [] };
}

async function faultOf(
  owner: TaskOwner,
  ports: Pick<Ports, "scan">,
  bytes: Uint8Array,
): Promise<MessageKey | null> {
  if (bytes.length > UPLOAD_BYTES) return "review_page.wrong_photo";
  if (!KINDS.includes((await detectType(owner, headOf(bytes))) ?? "")) return "review_page.wrong_photo";
  const scan = (await ports.scan?.(bytes)) ?? "clean";
  if (scan === "clean") return null;
  return scan === "infected" ? "form.fault_file_infected" : "review_page.wrong_photo_scan";
}

/** The photos as media of a review; their URLs are secret until it is published. */
export const mediaOf = (
  { baseUrl, ...ports }: Pick<Ports, "sign" | "baseUrl">,
  part: string,
  read: ReadPhotos["photos"],
): Media[] =>
  read.map(({ id }) => ({
    id,
    type: "image",
    url: `${baseUrl}/api/public/reviews/photos/${makeToken(ports, "reviews.photo", part, id)}`,
    alt: "",
    status: "pending",
  }));

type Place = Pick<OpenCtx, "now" | "ports" | "runTx"> & { readonly part: string };

/** Stores photos for a review that is about to be stored: without it they expire. */
export async function storePhotos({ now, ...place }: Place, read: ReadPhotos["photos"]): Promise<void> {
  if (read.length === 0) return;
  const waiting = read.map(({ content, height, id, width }) => ({
    content,
    file: {
      id,
      created_at: toInstant(now),
      review_id: null,
      email: null,
      customer_id: null,
      width,
      height,
      bytes: content.length,
      chunks: chunksIn(content.length),
      data: null,
      expires_at: toInstant(now + WAIT_MS),
    },
  }));
  await contents.store(place, waiting);
}

/** Lets stored photos go with a review, in its commit, in place of those that it had. */
export async function attachPhotos(
  tx: Tx,
  { author, email, id }: Review,
  { read, nowAt }: { readonly read: ReadPhotos["photos"]; readonly nowAt: string },
): Promise<void> {
  await dropPhotos(tx, id, nowAt);
  for (const photo of read) {
    const waiting = await tx.require(photos, photo.id);
    const owner = { review_id: id, email, customer_id: author.customer_id };
    tx.put(photos, waiting, { ...waiting.value, ...owner, expires_at: null });
  }
}

/** Discards photos that were stored, and whose review was not. */
export const discardPhotos = ({ now, part, runTx }: Place, read: ReadPhotos["photos"]): Promise<void> =>
  runTx(part, async (tx) => {
    for (const { id } of read) {
      const photo = await tx.get(photos, id);
      if (photo?.value.review_id === null) tx.put(photos, photo, gonePhoto(photo.value, toInstant(now)));
    }
  });

/** Discards the photos of a review: the sweep deletes their contents. */
export async function dropPhotos(tx: Tx, reviewId: string, nowAt: string): Promise<void> {
  const { items } = await tx.peekPage(photos, { index: "review", value: reviewId, limit: 2 * PHOTOS_MAX });
  for (const old of items) tx.put(photos, old, gonePhoto(old.value, nowAt));
}

const SHOWN: readonly Review["status"][] = ["unconfirmed", "pending", "published"];

/** A photo of a review that is published or may be; null for every other. */
export async function readPhoto(
  tx: Tx,
  ports: Pick<Ports, "files">,
  id: string,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const photo = (await tx.get(photos, id))?.value ?? null;
  if (photo === null || photo.review_id === null) return null;
  const review = (await tx.get(reviews, photo.review_id))?.value ?? null;
  if (review === null || !SHOWN.includes(review.status) || review.erase_asked) return null;
  if (!review.media.some((media) => media.id === id && media.status !== "rejected")) return null;
  return photo.data === null
    ? contents.read(tx, ports, photo)
    : new Uint8Array(Buffer.from(photo.data, "base64"));
}
