/** Pages of a shop for its customers: small, readable on a phone, light and dark, and plain on paper. */
export const PAGE_STYLE = `
:root{color-scheme:light dark;--line:#d9dee5;--soft:#586474;--accent:#0b5cad;--raised:#f5f7f9;--bad:#b3261e;--good:#1a7f4b}
@media(prefers-color-scheme:dark){:root{--line:#333d4a;--soft:#9aa7b6;--accent:#7db8f5;--raised:#1d242d;--bad:#ff9d94;--good:#6cd09a}body{background:#14191f;color:#e6eaf0}}
*{box-sizing:border-box}
body{font:1rem/1.5 system-ui,sans-serif;margin:0}
main{max-width:44rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .5rem}h2{font-size:1.15rem;margin:2rem 0 .5rem}
.soft{color:var(--soft)}.note{padding:.75rem 1rem;border-left:4px solid var(--accent);background:var(--raised)}
.bad{border-color:var(--bad)}.good{border-color:var(--good)}
table{width:100%;border-collapse:collapse}td,th{text-align:left;vertical-align:top;padding:.45rem .5rem .45rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
td.n,th.n{text-align:right;padding-right:0;white-space:nowrap}tfoot td{font-weight:600}
dl{display:grid;grid-template-columns:minmax(6rem,max-content) 1fr;gap:.25rem 1rem}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
label{display:block;font-weight:600;margin:1rem 0 .25rem}label.check{font-weight:400}
input[type=text],input[type=email],input[type=number],input[type=date],select,textarea{width:100%;padding:.65rem .75rem;font:inherit;border:1px solid var(--soft);border-radius:.45rem;background:transparent;color:inherit}
textarea{min-height:8rem}
fieldset{border:1px solid var(--line);border-radius:.45rem;margin:1rem 0;padding:.5rem 1rem 1rem}legend{font-weight:600;padding:0 .25rem}
button{font:inherit;font-weight:600;padding:.7rem 1.2rem;margin:1.25rem .5rem 0 0;border:1px solid var(--accent);border-radius:.45rem;background:var(--accent);color:#fff;cursor:pointer}
button.quiet{background:transparent;color:inherit;border-color:var(--soft)}
@media(prefers-color-scheme:dark){button{color:#0d1117}}
.pre{white-space:pre-line}.away{position:absolute;left:-9999px}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
@media print{body{background:#fff;color:#000}form,.screen{display:none}main{max-width:none;padding:0}}
`;
