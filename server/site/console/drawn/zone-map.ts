import type { Area } from "../../../engines/delivery/schema/zone.ts";
import { html } from "../../../lib/html.ts";
import type { Html } from "../../../lib/html.ts";

/** An area on the map, with the number and the look of its zone. */
export interface Mapped {
  readonly number: number;
  readonly name: string;
  readonly look: string;
  readonly area: Area;
}

const WIDTH = 480;
const HEIGHT_MAX = 480;
const MARGIN = 24;
/** Meters of a degree of latitude, on a sphere of the mean radius of the Earth (IUGG). */
const DEGREE_METERS = (6_371_008.8 * Math.PI) / 180;

type Position = readonly [longitude: number, latitude: number];
/** Meters to the east and to the north of the middle. */
type Point = readonly [east: number, north: number];

type Shape =
  | { readonly kind: "rings"; readonly rings: readonly (readonly Point[])[] }
  | { readonly kind: "circle"; readonly at: Point; readonly radius: number };

/**
 * The areas of zones to scale, north up: an equirectangular projection around their middle, which keeps distances to about 1%
 * within 150 km of it. Null where there is none.
 */
export function drawMap(zones: readonly Mapped[]): Html | null {
  if (zones.length === 0) return null;
  const middle = middleOf(zones.flatMap(({ area }) => cornersOf(area)));
  const shapes = zones.map((zone) => ({ zone, shape: shapeOf(zone.area, middle) }));
  const box = boxOf(shapes.flatMap(({ shape }) => extentOf(shape)));
  const scale = Math.min((WIDTH - 2 * MARGIN) / box.width, (HEIGHT_MAX - 3 * MARGIN) / box.height);
  const height = Math.ceil(box.height * scale + 3 * MARGIN);
  const left = (WIDTH - box.width * scale) / 2;
  const place = ([east, north]: Point): string =>
    `${(left + (east - box.west) * scale).toFixed(1)} ${(MARGIN + (box.north - north) * scale).toFixed(1)}`;
  const meters = niceLength(WIDTH / 3 / scale);
  return html`<figure class="zone-map">
    <figcaption>Areas on the map, north up</figcaption>
    <svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${zones.map(nameOf).join("; ")}">
      ${shapes.map(({ zone, shape }) => drawShape(zone, shape, { place, scale }))}
      ${shapes.map(({ zone, shape }) => drawNumber(zone, place(labelAt(shape))))}
      <path
        class="scale"
        d="M${MARGIN} ${height - 14}v6h${(meters * scale).toFixed(1)}v-6"
        data-meters="${meters}"
      />
    </svg>
    <p class="axis"><span>Length of the bar: ${showLength(meters)}</span></p>
  </figure>`;
}

const nameOf = ({ number, name }: Mapped): string => `Zone ${number}: ${name}`;

interface Drawn {
  readonly place: (point: Point) => string;
  readonly scale: number;
}

function drawShape(zone: Mapped, shape: Shape, { place, scale }: Drawn): Html {
  const title = html`<title>${nameOf(zone)}</title>`;
  if (shape.kind === "circle") {
    const [x = "", y = ""] = place(shape.at).split(" ");
    const radius = (shape.radius * scale).toFixed(1);
    return html`<circle class="${zone.look}" cx="${x}" cy="${y}" r="${radius}">${title}</circle>`;
  }
  const path = shape.rings.map((ring) => `M${ring.map(place).join("L")}Z`).join("");
  return html`<path class="${zone.look}" fill-rule="evenodd" d="${path}">${title}</path>`;
}

function drawNumber({ number, look }: Mapped, at: string): Html {
  return html`<g class="number ${look}" transform="translate(${at})">
    <circle r="13" />
    <text>${number}</text>
  </g>`;
}

const ringsOf = (area: Exclude<Area, { type: "Circle" }>): readonly (readonly Position[])[] =>
  area.type === "Polygon" ? area.coordinates : area.coordinates.flat();

/** Positions that the middle of the map is computed from. */
const cornersOf = (area: Area): readonly Position[] =>
  area.type === "Circle" ? [area.coordinates] : ringsOf(area).flat();

function middleOf(positions: readonly Position[]): Position {
  const half = (values: readonly number[]): number => (Math.min(...values) + Math.max(...values)) / 2;
  return [half(positions.map(([east]) => east)), half(positions.map(([, north]) => north))];
}

function shapeOf(area: Area, [east, north]: Position): Shape {
  const width = DEGREE_METERS * Math.cos((north * Math.PI) / 180);
  const project = ([longitude, latitude]: Position): Point => [
    (longitude - east) * width,
    (latitude - north) * DEGREE_METERS,
  ];
  if (area.type === "Circle")
    return { kind: "circle", at: project(area.coordinates), radius: area.radius_meters };
  return { kind: "rings", rings: ringsOf(area).map((ring) => ring.map(project)) };
}

/** Points at the edges of a shape. */
function extentOf(shape: Shape): readonly Point[] {
  if (shape.kind === "rings") return shape.rings.flat();
  const [east, north] = shape.at;
  const { radius } = shape;
  return [
    [east - radius, north - radius],
    [east + radius, north + radius],
  ];
}

function boxOf(points: readonly Point[]) {
  const easts = points.map(([east]) => east);
  const norths = points.map(([, north]) => north);
  const [west, south, north] = [Math.min(...easts), Math.min(...norths), Math.max(...norths)];
  return { west, north, width: Math.max(1, Math.max(...easts) - west), height: Math.max(1, north - south) };
}

/** Where the number of a zone is shown: at its northern end, since one zone often has another one within it. */
function labelAt(shape: Shape): Point {
  if (shape.kind === "circle") return [shape.at[0], shape.at[1] + shape.radius];
  const points = shape.rings.flat();
  return points.reduce((best, point) => (point[1] > best[1] ? point : best), points[0] ?? [0, 0]);
}

/** The longest of 1, 2 and 5 times a power of ten that is not longer than that, in meters. */
export function niceLength(longest: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, longest)));
  return [5, 2, 1].map((step) => step * power).find((length) => length <= Math.max(1, longest)) ?? 1;
}

const showLength = (meters: number): string => (meters >= 1000 ? `${meters / 1000} km` : `${meters} m`);
