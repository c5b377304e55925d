import type { Html } from "../../../lib/html.ts";
import type { StoreReader } from "../store-reader.ts";
import type { Asked } from "../view.ts";

/** A page that draws what one store offers, as its shop and its guests see it. */
export interface Drawing {
  /** Below the page of the store. */
  readonly path: string;
  readonly title: string;
  readonly draw: (reader: StoreReader, asked: Asked) => Promise<Html>;
}
