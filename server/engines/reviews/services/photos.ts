import { toPhoto } from "../../../core/image-tasks.ts";
import type { NewId } from "../../../core/ids.ts";
import { makeToken } from "../../../core/link-token.ts";
import type { Ports } from "../../../core/ports.ts";
import type { Tx } from "../../../core/tx.ts";
import type { MessageKey } from "../../../core/words.ts";
import { photos, reviews } from "../repository.ts";
import type { Review } from "../schema.ts";
import type { Media } from "../schema/parts.ts";
import type { Photo } from "../schema/records.ts";

export const PHOTOS_MAX = 3;
const UPLOAD_BYTES = 10_485_760;
/** As base64 it is below the limit of a document, and three of them below that of a commit. */
const PHOTO_BYTES = 180_000;
const KINDS = ["image/jpeg", "image/png", "image/webp"];

export interface Upload {
  readonly name: string;
  /** Base64. */
  readonly content: string;
}

export interface ReadPhotos {
  readonly photos: readonly Pick<Photo, "id" | "width" | "height" | "data">[];
  readonly wrong: readonly MessageKey[];
}

/** Photos of a review as they are stored: detected by content, scanned, without metadata. */
export async function readPhotos(
  part: string,
  { newId, ports }: { readonly newId: NewId; readonly ports: Pick<Ports, "scan"> },
  uploads: readonly Upload[],
): Promise<ReadPhotos> {
  if (uploads.length > PHOTOS_MAX) return { photos: [], wrong: ["review_page.wrong_photo_count"] };
  const read: ReadPhotos["photos"][number][] = [];
  for (const { content } of uploads) {
    const bytes = Buffer.from(content, "base64");
    const wrong = await faultOf(ports, bytes);
    const photo = wrong === null ? await toPhoto(part, { bytes, bytesMax: PHOTO_BYTES }) : null;
    if (photo === null) return { photos: [], wrong: [wrong ?? "review_page.wrong_photo"] };
    const { height, width } = photo;
    read.push({ id: newId("rph"), width, height, data: Buffer.from(photo.content).toString("base64") });
  }
  return { photos: read, wrong: [] };
}

async function faultOf(ports: Pick<Ports, "scan">, bytes: Uint8Array): Promise<MessageKey | null> {
  if (bytes.length > UPLOAD_BYTES) return "review_page.wrong_photo";
  const { fileTypeFromBuffer } = await import("file-type");
  if (!KINDS.includes((await fileTypeFromBuffer(bytes))?.mime ?? "")) return "review_page.wrong_photo";
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

/** Stores the photos of a review in its commit, in place of those that it had. */
export async function savePhotos(
  tx: Tx,
  review: Review,
  { read, nowAt }: { readonly read: ReadPhotos["photos"]; readonly nowAt: string },
): Promise<void> {
  const { items } = await tx.peekPage(photos, { index: "review", value: review.id, limit: 2 * PHOTOS_MAX });
  for (const old of items) tx.remove(photos, old);
  for (const photo of read) {
    const { author, email, id } = review;
    tx.create(photos, { ...photo, created_at: nowAt, review_id: id, email, customer_id: author.customer_id });
  }
}

const SHOWN: readonly Review["status"][] = ["unconfirmed", "pending", "published"];

/** A photo of a review that is published or may be; null for every other. */
export async function findPhoto(tx: Tx, id: string): Promise<Photo | null> {
  const photo = (await tx.get(photos, id))?.value ?? null;
  const review = photo === null ? null : ((await tx.get(reviews, photo.review_id))?.value ?? null);
  if (review === null || !SHOWN.includes(review.status) || review.erase_asked) return null;
  return review.media.some((media) => media.id === id && media.status !== "rejected") ? photo : null;
}
