import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";

export interface Graph {
  readonly title: string;
  readonly edges: readonly { readonly from: string; readonly to: string; readonly label: string }[];
}

/** Widths of a letter of the labels, with room on both sides. */
const CHAR = 7.4;
const NODE_HEIGHT = 34;
const LABEL_CHAR = 6.3;
const LABEL_HEIGHT = 16;

/** Draws a graph as a picture with its words; what leads from one box to another is one arrow with all its names. */
export async function drawGraph({ title, edges }: Graph): Promise<Html> {
  const { graphlib, layout } = await import("@dagrejs/dagre");
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: "TB", nodesep: 28, ranksep: 44, edgesep: 14, marginx: 8, marginy: 8 });
  for (const name of new Set(edges.flatMap(({ from, to }) => [from, to])))
    graph.setNode(name, { width: shown(name).length * CHAR + 26, height: NODE_HEIGHT });
  const arrows = new Map<string, Graph["edges"]>();
  for (const edge of edges) {
    const ends = `${edge.from}\n${edge.to}`;
    arrows.set(ends, [...(arrows.get(ends) ?? []), edge]);
  }
  for (const own of arrows.values()) {
    const [first] = own;
    if (first === undefined) continue;
    const lines = own.map(({ label }) => shown(label)).filter((line) => line !== "");
    const width = Math.max(0, ...lines.map(({ length }) => length * LABEL_CHAR + 10));
    graph.setEdge(first.from, first.to, { lines, width, height: lines.length * LABEL_HEIGHT, labelpos: "c" });
  }
  layout(graph);
  const arrowsDrawn = graph.edges().map((edge: Ends) => graph.edge(edge));
  const { height = 0, width = 0 } = graph.graph();
  // Lines may lead around the outermost boxes.
  const across = arrowsDrawn.flatMap(pointsOf).map(({ x }: Point) => x);
  const left = Math.floor(Math.min(0, ...across) - 4);
  const wide = Math.ceil(Math.max(width, ...across) + 4) - left;
  return html`<figure class="diagram">
    <div class="wide" tabindex="0" role="region" aria-label="${title}">
      <svg
        role="img"
        aria-label="${title}: ${edges.map(sentence).join("; ")}"
        viewBox="${left} 0 ${wide} ${Math.ceil(height)}"
        width="${wide}"
        height="${Math.ceil(height)}"
      >
        ${arrowsDrawn.map(drawArrow)} ${graph.nodes().map((name: string) => drawBox(name, graph.node(name)))}
      </svg>
    </div>
    <figcaption>${title}</figcaption>
  </figure>`;
}

/** "in_review" → "in review" */
const shown = (name: string): string => name.replaceAll(/[_-]/g, " ");
const round = (length: number): number => Math.round(length * 10) / 10;

const sentence = ({ from, label, to }: Graph["edges"][number]): string =>
  `${shown(from)} to ${shown(to)}${label === "" ? "" : ` by ${shown(label)}`}`;

/** How the library names an edge. */
interface Ends {
  readonly v: string;
  readonly w: string;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const drawBox = (name: string, { height, width, x, y }: Box): Html =>
  html`<rect
      x="${round(x - width / 2)}"
      y="${round(y - height / 2)}"
      width="${round(width)}"
      height="${height}"
      rx="8"
    /><text class="box" x="${round(x)}" y="${round(y + 5)}">${shown(name)}</text>`;

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Arrow {
  readonly [name: string]: unknown;
}

const pointsOf = (edge: Arrow): Point[] => (Array.isArray(edge["points"]) ? edge["points"].map(toPoint) : []);

function drawArrow(edge: Arrow): Html {
  const points = pointsOf(edge);
  const lines = Array.isArray(edge["lines"]) ? edge["lines"].map(String) : [];
  const { x, y } = toPoint(edge);
  const [end = { x, y }, before = end] = points.toReversed();
  const angle = end.y < before.y ? -90 : 90;
  const top = y - ((lines.length - 1) * LABEL_HEIGHT) / 2 + 4;
  return html`<path d="${curve(points)}" /><path
      class="tip"
      d="M0 0L-8 -4L-8 4Z"
      transform="translate(${round(end.x)} ${round(end.y)}) rotate(${round(angle)})"
    />${lines.map((line, at) => html`<text x="${round(x)}" y="${round(top + at * LABEL_HEIGHT)}">${line}</text>`)}`;
}

const toPoint = (value: unknown): Point => {
  const { x, y } = Object(value);
  return { x: Number(x), y: Number(y) };
};

/** A line through all points that leaves and enters each upright. */
const curve = (points: readonly Point[]): string =>
  points
    .map(({ x, y }, at) => {
      const before = points[at - 1];
      if (before === undefined) return `M${round(x)} ${round(y)}`;
      const middle = round((before.y + y) / 2);
      return `C${round(before.x)} ${middle} ${round(x)} ${middle} ${round(x)} ${round(y)}`;
    })
    .join("");
