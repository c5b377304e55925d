import { inkOn, legible } from "../lib/contrast.ts";

/** Colours of all pages. A test computes the contrast of each pair that is used. */
export const COLORS = {
  light: {
    ground: "#ffffff",
    raised: "#f5f7f9",
    ink: "#1c2430",
    soft: "#586474",
    line: "#d9dee5",
    accent: "#0b5cad",
    "accent-ink": "#ffffff",
    good: "#1a7f4b",
    bad: "#b3261e",
    amber: "#8f5f00",
    violet: "#7a4bc2",
  },
  dark: {
    ground: "#14191f",
    raised: "#1d242d",
    ink: "#e6eaf0",
    soft: "#9aa7b6",
    line: "#333d4a",
    accent: "#7db8f5",
    "accent-ink": "#0d1a28",
    good: "#6cd09a",
    bad: "#ff9d94",
    amber: "#e0ad3f",
    violet: "#bfa0f2",
  },
} as const;

const tokens = (colors: Readonly<Record<string, string>>): string =>
  Object.entries(colors)
    .map(([name, color]) => `--${name}:${color};`)
    .join("");

/** The accent color of a store in both schemes, changed as far as its text stays legible. */
export function accentStyle(color: string): string {
  const accent = ({ ground, raised }: { readonly ground: string; readonly raised: string }): string => {
    const chosen = legible(color, [ground, raised]);
    return `:root{${tokens({ accent: chosen, "accent-ink": inkOn(chosen) })}}`;
  };
  return `${accent(COLORS.light)}@media (prefers-color-scheme:dark){${accent(COLORS.dark)}}`;
}

/** The one style sheet of all pages: readable on a phone, in light and dark, and on paper. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; ${tokens(COLORS.light)} --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
@media (prefers-color-scheme: dark) { :root { ${tokens(COLORS.dark)} } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: break-word; }
header, main { max-width: 46rem; margin: 0 auto; padding: 0 1.25rem; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; justify-content: space-between; align-items: center; padding-top: 1rem; padding-bottom: 1rem; border-bottom: 1px solid var(--line); }
main { padding-top: 1.75rem; padding-bottom: 4rem; }
nav { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; align-items: baseline; }
a { color: var(--accent); text-underline-offset: .15em; }
.brand { display: inline-flex; gap: .75rem; align-items: center; color: var(--ink); font-weight: 650; text-decoration: none; overflow-wrap: anywhere; }
.brand img { height: 2.5rem; width: auto; max-width: 12rem; object-fit: contain; }
[aria-current] { color: var(--ink); font-weight: 650; text-decoration: none; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .75rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
p, ul, ol, dl, pre, table, figure { margin: 0 0 1rem; }
.soft { color: var(--soft); }
.lead { font-size: 1.1rem; color: var(--soft); }
.pre { white-space: pre-line; overflow-wrap: anywhere; }
.away { position: absolute; left: -9999px; }
code, pre, .key { font-family: var(--mono); font-size: .92em; }
pre { padding: .85rem 1rem; background: var(--raised); border: 1px solid var(--line); border-radius: .5rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.key { display: block; padding: 1rem; margin: 0 0 1rem; border: 2px solid var(--accent); border-radius: .5rem; background: var(--raised); overflow-wrap: anywhere; user-select: all; -webkit-user-select: all; }
form { margin: 0 0 1.5rem; }
label { display: block; font-weight: 600; margin: 1rem 0 .3rem; }
label.check, fieldset label, label:has(input[type=checkbox]) { font-weight: 400; }
.hint, .storefront-form-help { font-weight: 400; color: var(--soft); font-size: .92rem; margin: .3rem 0 0; }
.wrong, .storefront-form-fault { color: var(--bad); font-size: .95rem; margin: .3rem 0 0; }
input, select, textarea { font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--soft); border-radius: .45rem; accent-color: var(--accent); }
input:not([type=checkbox], [type=radio]), select, textarea { display: block; width: 100%; padding: .65rem .75rem; }
textarea { min-height: 8rem; }
input[aria-invalid] { border-color: var(--bad); }
fieldset { min-width: 0; border: 1px solid var(--line); border-radius: .45rem; margin: 1rem 0; padding: .5rem 1rem 1rem; }
legend { font-weight: 600; padding: 0 .25rem; overflow-wrap: anywhere; }
button, .button { display: inline-block; margin: 1.25rem 0 0; margin-inline-end: .5rem; padding: .65rem 1.2rem; font: inherit; font-weight: 600; cursor: pointer; color: var(--accent-ink); background: var(--accent); border: 1px solid var(--accent); border-radius: .45rem; text-decoration: none; }
button.quiet { background: transparent; color: inherit; border-color: var(--soft); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.note { margin: 0 0 1rem; padding: .75rem 1rem; border-left: 4px solid var(--accent); background: var(--raised); border-radius: .25rem; }
.note.good { border-color: var(--good); }
.note.bad { border-color: var(--bad); }
.note > :last-child { margin-bottom: 0; }
.cards { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr)); padding: 0; list-style: none; }
.cards > li { border: 1px solid var(--line); border-radius: .6rem; padding: 1rem 1.1rem; }
.cards p { margin: .3rem 0 0; }
.rows { list-style: none; padding: 0; border-top: 1px solid var(--line); }
.rows > li { padding: .75rem 0; border-bottom: 1px solid var(--line); }
.meta + .note { margin-top: .6rem; }
.meta { display: block; color: var(--soft); font-size: .92rem; }
table { width: 100%; border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); }
td.n, th.n { text-align: right; padding-right: 0; padding-left: .5rem; white-space: nowrap; }
tfoot td { font-weight: 600; }
tfoot td.soft { font-weight: 400; }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) minmax(0, 1fr); gap: .25rem 1rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.parties { display: flex; gap: 1.5rem 2rem; flex-wrap: wrap; margin: 1.5rem 0; }
.parties > * { flex: 1 1 14rem; min-width: 0; margin: 0; }
.parties p { margin: .25rem 0; }
fieldset.stars { position: relative; display: flex; padding-bottom: 2.75rem; }
.stars label { margin: 0; }
.stars input { appearance: none; width: 2.75rem; height: 2.75rem; margin: 0; border: 0; font-size: 2.2rem; line-height: 2.75rem; text-align: center; cursor: pointer; }
.stars input::before { content: "☆"; color: var(--soft); }
.stars label:is(:has(:checked), :has(~ label :checked)) input::before { content: "★"; color: var(--accent); }
.stars span { position: absolute; left: -9999px; }
.stars :checked + span { left: 1rem; bottom: .75rem; }
.rating { color: var(--accent); letter-spacing: .1em; white-space: nowrap; }
.photos { display: grid; gap: .5rem; grid-template-columns: repeat(auto-fill, minmax(7rem, 1fr)); list-style: none; padding: 0; }
.photos img { display: block; width: 100%; aspect-ratio: 1; object-fit: cover; border-radius: .4rem; background: var(--raised); }
.histogram { width: 100%; max-width: 24rem; }
.histogram :is(th, td) { border: 0; vertical-align: middle; padding: .15rem .6rem .15rem 0; white-space: nowrap; font-weight: 400; }
.histogram td:nth-child(2) { width: 100%; }
.histogram progress { height: .7rem; margin: 0; }
progress { display: block; width: 100%; height: .5rem; margin: .3rem 0 0; accent-color: var(--accent); }
.storefront-form-progress { color: var(--soft); font-size: .92rem; }
.storefront-form-review { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: .25rem 1rem; align-items: baseline; padding: .75rem 0; border-top: 1px solid var(--line); }
.storefront-form-review > * { margin: 0; }
.storefront-form-review > dl { grid-column: 1 / -1; }
.storefront-form-review button { padding: .3rem .8rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .4rem; }
summary { cursor: pointer; }
iframe { width: 100%; height: 34rem; border: 1px solid var(--line); border-radius: .5rem; background: #fff; }
.wide { overflow-x: auto; }

.docs { display: grid; gap: 2rem; }
.docs > nav { display: block; font-size: .95rem; }
.docs > nav h2 { font-size: .8rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); margin: 1.2rem 0 .3rem; }
.docs > nav ul { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .1rem 1rem; }
.docs > nav li a { display: inline-block; padding: .2rem 0; }
.docs > nav > .all { display: inline-block; margin: .6rem 0 0; }
@media (max-width: 61.99rem) { .docs > nav:not(:target) > :is(h2, ul), .docs > nav:target > .all { display: none; } }
@media (min-width: 62rem) { .docs > nav > .all { display: none; } }
.docs > nav form { margin: 0; }
.docs > nav label { margin: 0 0 .2rem; }
.docs article { min-width: 0; }
.docs article pre { position: relative; padding-right: 4.5rem; }
.docs pre > button { position: absolute; top: .4rem; right: .4rem; margin: 0; padding: .2rem .6rem; font: .8rem system-ui, sans-serif; background: var(--ground); color: var(--ink); border-color: var(--soft); }
.contents { display: block; margin: 0 0 1.5rem; padding: .6rem 1rem; background: var(--raised); border-radius: .5rem; font-size: .95rem; }
.contents ul { margin: .5rem 0 0; padding-left: 1.2rem; }
.sides { display: grid; gap: 0 1.25rem; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); }
.sides h3 { margin-top: .25rem; }
.actions > * { margin: 0 .5rem .5rem 0; }
.button.quiet { background: transparent; color: inherit; border-color: var(--soft); }
.docs .cards a { font-weight: 600; text-transform: capitalize; }
.docs > nav form { position: relative; }
.found { position: absolute; z-index: 1; width: max(100%, 19rem); max-width: 88vw; margin: .3rem 0 0; padding: .25rem 0; list-style: none; background: var(--ground); border: 1px solid var(--soft); border-radius: .5rem; box-shadow: 0 .5rem 1.5rem #0003; }
.docs > nav .found { display: block; padding: .25rem 0; }
.found li { padding: .35rem .8rem; overflow-wrap: anywhere; }
.found .meta { font-size: .85rem; }
.diagram { margin: 1rem 0 1.5rem; }
.diagram .wide { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem; }
.diagram svg { display: block; margin: 0 auto; max-width: max(100%, 34rem); height: auto; }
.diagram rect { fill: var(--raised); stroke: var(--soft); }
.diagram path { fill: none; stroke: var(--soft); stroke-width: 1.3; }
.diagram .tip { fill: var(--soft); stroke: none; }
.diagram text { fill: var(--ink); font-size: 12px; text-anchor: middle; paint-order: stroke; stroke: var(--ground); stroke-width: 4px; }
.diagram text.box { font-size: 14px; font-weight: 600; stroke: none; }
.diagram figcaption { margin: .4rem 0 0; font-weight: 400; color: var(--soft); font-size: .92rem; }
.hljs-comment, .hljs-meta, .hljs-punctuation { color: var(--soft); }
.hljs-string, .hljs-regexp { color: var(--good); }
.hljs-keyword, .hljs-built_in, .hljs-tag .hljs-name { color: var(--violet); }
.hljs-attr, .hljs-title, .hljs-variable, .hljs-property { color: var(--accent); }
.hljs-number, .hljs-literal { color: var(--amber); }
.neighbours { justify-content: space-between; margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); }
.snippet { margin: 0 0 .5rem; border: 1px solid var(--line); border-radius: .5rem; }
.snippet > summary { padding: .5rem .85rem; font-weight: 600; }
.snippet > pre { margin: 0; border: 0; border-top: 1px solid var(--line); border-radius: 0 0 .5rem .5rem; }
.whole code { white-space: nowrap; }
@media (min-width: 62rem) {
  body:has(.docs) :is(header, main) { max-width: 72rem; }
  .docs { grid-template-columns: 13rem minmax(0, 1fr); }
  .docs > nav ul { display: block; }
}

.reference > header { max-width: none; }
.reference noscript { display: block; padding: 1rem 1.25rem; }
rapi-doc { width: 100%; height: calc(100dvh - 4rem); }

body:has(.console) :is(header, main) { max-width: 80rem; }
header nav form { margin: 0; }
.plain { margin: 0; padding: 0; border: 0; color: var(--accent); background: none; font-weight: 400; text-decoration: underline; }
.filters, .action { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: end; margin: 0 0 1.25rem; }
.filters label, .action label { margin: 0; font-size: .92rem; }
.filters :is(input, select), .action :is(input, select) { min-width: 11rem; margin-top: .2rem; }
.filters button, .action button { margin: 0; }
.action { padding: .85rem 1rem; border: 1px solid var(--line); border-radius: .6rem; }
.action .tick { display: flex; gap: .5rem; align-items: center; }
.action .tick input { min-width: 0; margin: 0; }
.final { background: var(--bad); border-color: var(--bad); color: var(--ground); }
.console table { font-size: .93rem; }
@media (max-width: 40rem) { .console td { min-width: 6rem; } .members { grid-template-columns: minmax(0, 1fr); } .members dt { margin-top: .5rem; } }
.members pre { margin: 0; }
td .action { padding: 0; border: 0; margin: 0; }
td .action button { padding: .35rem .7rem; font-size: .92rem; }
.state, .console td > time { white-space: nowrap; }
.parts { overflow-wrap: anywhere; }
.state.warn { color: var(--amber); }
.state:is(.active, .ok, .sent, .delivered) { color: var(--good); }
.state:is(.revoked, .failed, .fail, .suspended, .closed, .expired, .disabled) { color: var(--bad); }
.usage { width: 100%; height: auto; min-height: 6rem; border-bottom: 1px solid var(--line); }
.axis { display: flex; justify-content: space-between; color: var(--soft); font-size: .85rem; margin: .2rem 0 .4rem; }
.succeeded, .route-1 { fill: var(--good); color: var(--good); } .rejected, .route-2 { fill: var(--amber); color: var(--amber); }
.rate_limited, .route-0 { fill: var(--accent); color: var(--accent); } .failed, .route-4 { fill: var(--bad); color: var(--bad); }
.route-3 { fill: var(--violet); color: var(--violet); } .route-rest { fill: var(--soft); color: var(--soft); }
figcaption { font-weight: 600; margin: 0 0 .4rem; }
.legend { display: inline-block; padding: 0 0 0 1.1em; margin: 0 1rem 0 0; position: relative; font-size: .92rem; }
.legend::before { content: ""; position: absolute; left: 0; top: .4em; width: .75em; height: .75em; border-radius: 2px; background: currentColor; }

main.console > nav { margin: 0 0 1.25rem; }
.related { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; }
.number { display: inline-block; min-width: 1.5em; padding: 0 .3em; border: 2px solid currentColor; border-radius: .35em; text-align: center; font-size: .85em; line-height: 1.3; background: var(--ground); }
.tiles { display: grid; gap: .4rem; grid-template-columns: repeat(auto-fill, minmax(7rem, 1fr)); padding: 0; list-style: none; }
.tiles li { display: flex; flex-wrap: wrap; gap: 0 .5rem; justify-content: space-between; align-items: baseline; padding: .3rem .5rem; border: 1px solid var(--line); border-radius: .35rem; background: var(--raised); }
.tiles .none { border: 1px dashed var(--soft); background: none; color: var(--soft); }
.zone-map svg { display: block; width: 100%; max-width: 40rem; height: auto; border: 1px solid var(--line); border-radius: .5rem; background: var(--raised); }
.zone-map svg > :is(path, circle) { fill-opacity: .18; stroke: currentColor; stroke-width: 2; }
.zone-map .number circle { fill: var(--ground); stroke: currentColor; stroke-width: 2; }
.zone-map .number text { fill: currentColor; font-size: 15px; font-weight: 700; text-anchor: middle; dominant-baseline: central; }
.zone-map svg > .scale { fill: none; stroke: var(--ink); }
.slots th[scope=row] { white-space: nowrap; font-weight: 500; }
.slots :is(th, td) > small, .slot > strong { display: block; font-weight: 400; }
.slots td { min-width: 8.5rem; }
.slot > strong { font-weight: 600; }
.slot.blocked > strong { color: var(--bad); } .slot.full > strong { color: var(--amber); } .slot.closed > strong { color: var(--soft); }
.capacity { display: block; width: 100%; height: .4rem; margin: .25rem 0; border: 1px solid var(--soft); border-radius: 2px; }
.booked { fill: var(--accent); color: var(--accent); } .held { fill: var(--amber); color: var(--amber); } .left { color: var(--soft); }
iframe.label { height: 20rem; }
.guest { max-width: 46rem; }
.guest ul { padding: 0; list-style: none; }
.guest li { padding: .6rem 0; border-top: 1px solid var(--line); }
.guest p { margin: .2rem 0; }
.guest .row { display: flex; gap: 1rem; justify-content: space-between; }
.guest .off { text-decoration: line-through; }

.paper { color-scheme: light; ${tokens(COLORS.light)} background: #fff; color: #000; font-size: 11pt; line-height: 1.4; margin: 1rem; }
.paper main { max-width: none; padding: 0; }
.paper table { line-height: 1.3; }
.paper caption { text-align: left; padding-bottom: .3cm; }
.paper :is(th, td) { border: 1px solid #777; padding: 2px 5px; text-align: center; }
.paper th[scope=row] { text-align: left; font-weight: 500; }
.paper thead { display: table-header-group; }
.paper thead th { font-size: 8.5pt; vertical-align: bottom; }
.paper tr, tfoot tr { break-inside: avoid; }
.paper .qr { float: right; width: 3cm; height: 3cm; }
.paper :is(.unverified, .notice, .C, .M) { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.paper .unverified { border: 4px dashed #000; padding: .4cm; background: repeating-linear-gradient(45deg, #fff 0 14px, #ccc 14px 18px); }
.paper .notice { background: #000; color: #fff; font-weight: 700; padding: .2cm; }
.paper .C { background: #000; color: #fff; font-weight: 700; }
.paper .M { background: #ccc; }
.paper .stale { font-style: italic; }
.paper .matrix { page: wide; }
.paper .matrix th[scope=row] { min-width: 4cm; }
.paper .matrix thead th + th { writing-mode: vertical-rl; text-align: left; }
@page { margin: 1.2cm; }
@page wide { size: A4 landscape; margin: 1cm; }
@media print {
  body { background: #fff; color: #000; margin: 0; }
  form, .screen { display: none; }
  .wide { overflow: visible; }
  header, main { max-width: none; padding-inline: 0; }
  main { padding-block: 0; }
}
`;
