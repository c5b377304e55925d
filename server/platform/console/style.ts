/** What the console's tables, filters and charts need beyond the pages' own style. */
export const CONSOLE_STYLE = `
header, .console { max-width: 80rem; }
header nav { flex-wrap: wrap; align-items: baseline; }
header nav form { margin: 0; }
.plain { margin: 0; padding: 0; color: var(--accent); background: none; font-weight: 400; text-decoration: underline; }
.filters, .action { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: end; margin: 0 0 1.25rem; }
.filters label, .action label { margin: 0; font-size: .92rem; }
.filters input, .filters select, .action input, .action select { min-width: 11rem; margin-top: .2rem; }
.filters button, .action button { margin: 0; }
.action { padding: .85rem 1rem; border: 1px solid var(--line); border-radius: .6rem; }
.action .tick { display: flex; gap: .5rem; align-items: center; font-weight: 400; }
.action .tick input { width: auto; min-width: 0; margin: 0; }
.final { background: var(--bad); color: var(--ground); }
select {
  display: block; padding: .65rem .75rem; font: inherit; color: inherit; background: var(--ground);
  border: 1px solid var(--soft); border-radius: .45rem;
}
.console table { font-size: .93rem; }
.console td { overflow-wrap: break-word; }
@media (max-width: 40rem) { .console td { min-width: 9rem; } }
.members { display: grid; grid-template-columns: minmax(8rem, 14rem) minmax(0, 1fr); gap: .3rem 1rem; }
.members dd { margin: 0; }
.members pre { margin: 0; }
.state { white-space: nowrap; }
.state:is(.active, .ok, .sent, .delivered) { color: var(--good); }
.state:is(.revoked, .failed, .suspended, .closed, .expired, .disabled) { color: var(--bad); }
figure { margin: 0 0 1.25rem; }
.usage { width: 100%; height: auto; }
.usage text { fill: var(--soft); font-size: 12px; }
.succeeded { fill: var(--good); } .rejected { fill: #c98a00; } .rate_limited { fill: var(--accent); } .failed { fill: var(--bad); }
figcaption .key { display: inline-block; border: 0; padding: 0 0 0 1.1em; margin: 0 1rem 0 0; background: none; position: relative; user-select: auto; }
figcaption .key::before { content: ""; position: absolute; left: 0; top: .35em; width: .75em; height: .75em; border-radius: 2px; background: currentColor; }
figcaption .succeeded { color: var(--good); } figcaption .rejected { color: #a87200; }
figcaption .rate_limited { color: var(--accent); } figcaption .failed { color: var(--bad); }
@media (max-width: 40rem) { .members { grid-template-columns: minmax(0, 1fr); } .members dt { margin-top: .5rem; } }
`;
