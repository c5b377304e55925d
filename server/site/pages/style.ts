/** The one style sheet of the pages: small, readable on a phone, light and dark. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ink: #1c2430; --soft: #586474; --line: #d9dee5; --ground: #fff; --raised: #f5f7f9;
  --accent: #0b5cad; --accent-ink: #fff; --good: #1a7f4b; --bad: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6eaf0; --soft: #9aa7b6; --line: #333d4a; --ground: #14191f; --raised: #1d242d;
    --accent: #7db8f5; --accent-ink: #0d1a28; --good: #6cd09a; --bad: #ff9d94;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
header, main { max-width: 46rem; margin: 0 auto; padding: 0 1.25rem; }
header {
  display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; justify-content: space-between; align-items: baseline;
  padding-top: 1rem; padding-bottom: 1rem; border-bottom: 1px solid var(--line);
}
main { padding-top: 1.75rem; padding-bottom: 4rem; }
nav { display: flex; gap: 1.1rem; }
a { color: var(--accent); text-underline-offset: .15em; }
.brand { color: var(--ink); font-weight: 650; text-decoration: none; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .75rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
p, ul, ol, dl, pre, table { margin: 0 0 1rem; }
.soft { color: var(--soft); }
.lead { font-size: 1.1rem; color: var(--soft); }
code, pre, .key { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .92em; }
code { overflow-wrap: anywhere; }
pre {
  padding: .85rem 1rem; background: var(--raised); border: 1px solid var(--line); border-radius: .5rem;
  white-space: pre-wrap; overflow-wrap: anywhere;
}
.key {
  display: block; padding: 1rem; margin: 0 0 1rem; border: 2px solid var(--accent); border-radius: .5rem;
  background: var(--raised); overflow-wrap: anywhere; user-select: all; -webkit-user-select: all;
}
form { margin: 0 0 1.5rem; }
label { display: block; font-weight: 600; margin: 1rem 0 .3rem; }
.hint { font-weight: 400; color: var(--soft); font-size: .92rem; margin: .3rem 0 0; }
.wrong { color: var(--bad); font-size: .95rem; margin: .3rem 0 0; }
input {
  width: 100%; padding: .65rem .75rem; font: inherit; color: inherit; background: var(--ground);
  border: 1px solid var(--soft); border-radius: .45rem;
}
input[aria-invalid] { border-color: var(--bad); }
button, .button {
  display: inline-block; margin-top: 1.25rem; padding: .65rem 1.2rem; font: inherit; font-weight: 600; cursor: pointer;
  color: var(--accent-ink); background: var(--accent); border: 0; border-radius: .45rem; text-decoration: none;
}
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.note { padding: .75rem 1rem; border-left: 4px solid var(--accent); background: var(--raised); border-radius: .25rem; }
.note.good { border-color: var(--good); }
.note.bad { border-color: var(--bad); }
.note > :last-child { margin-bottom: 0; }
.cards { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); padding: 0; list-style: none; }
.cards > li { border: 1px solid var(--line); border-radius: .6rem; padding: 1rem 1.1rem; }
.cards p { margin: .3rem 0 0; }
.rows { list-style: none; padding: 0; border-top: 1px solid var(--line); }
.rows > li { padding: .75rem 0; border-bottom: 1px solid var(--line); }
.rows .meta { display: block; color: var(--soft); font-size: .92rem; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); }
dt { font-weight: 600; }
dd { margin: 0 0 .6rem; overflow-wrap: anywhere; }
.docs { display: grid; gap: 2rem; }
.docs > nav { display: block; font-size: .95rem; }
.docs > nav h2 { font-size: .8rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); margin: 1.2rem 0 .3rem; }
.docs > nav ul { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .1rem 1rem; }
.docs > nav li a { display: inline-block; padding: .2rem 0; }
.docs > nav form { margin: 0; }
.docs > nav label { margin: 0 0 .2rem; }
[aria-current=page] { font-weight: 650; color: var(--ink); text-decoration: none; }
.docs article { min-width: 0; }
.snippet { margin: 0 0 .5rem; border: 1px solid var(--line); border-radius: .5rem; }
.snippet > summary { padding: .5rem .85rem; cursor: pointer; font-weight: 600; }
.snippet > pre { margin: 0; border: 0; border-top: 1px solid var(--line); border-radius: 0 0 .5rem .5rem; }
.wide { overflow-x: auto; }
.whole code { white-space: nowrap; }
@media (min-width: 62rem) {
  body:has(.docs) :is(header, main) { max-width: 72rem; }
  .docs { grid-template-columns: 13rem minmax(0, 1fr); }
  .docs > nav ul { display: block; }
}
iframe { width: 100%; height: 34rem; border: 1px solid var(--line); border-radius: .5rem; background: #fff; }
`;
