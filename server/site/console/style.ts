/** What the console's tables, filters and charts need beyond the pages' own style. */
export const CONSOLE_STYLE = `
:root { --amber: #8f5f00; --violet: #7a4bc2; }
@media (prefers-color-scheme: dark) { :root { --amber: #e0ad3f; --violet: #bfa0f2; } }
header, .console { max-width: 80rem; }
header nav { flex-wrap: wrap; align-items: baseline; gap: .2rem 1.1rem; }
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
@media (max-width: 40rem) { .console td { min-width: 6rem; } }
.members { display: grid; grid-template-columns: minmax(8rem, 14rem) minmax(0, 1fr); gap: .3rem 1rem; }
.members dd { margin: 0; }
.members pre { margin: 0; }
.state { white-space: nowrap; }
nav [aria-current] { color: var(--ink); font-weight: 650; text-decoration: none; }
td .action { padding: 0; border: 0; margin: 0; }
td .action button { padding: .35rem .7rem; font-size: .92rem; }
summary { cursor: pointer; }
.state.warn { color: var(--amber); }
.state:is(.active, .ok, .sent, .delivered) { color: var(--good); }
.state:is(.revoked, .failed, .fail, .suspended, .closed, .expired, .disabled) { color: var(--bad); }
figure { margin: 0 0 1.25rem; }
.usage { width: 100%; height: auto; }
.usage { min-height: 6rem; border-bottom: 1px solid var(--line); }
.axis { display: flex; justify-content: space-between; color: var(--soft); font-size: .85rem; margin: .2rem 0 .4rem; }
.succeeded { fill: var(--good); color: var(--good); } .rejected { fill: var(--amber); color: var(--amber); }
.rate_limited { fill: var(--accent); color: var(--accent); } .failed { fill: var(--bad); color: var(--bad); }
.route-0 { fill: var(--accent); color: var(--accent); } .route-1 { fill: var(--good); color: var(--good); }
.route-2 { fill: var(--amber); color: var(--amber); } .route-3 { fill: var(--violet); color: var(--violet); }
.route-4 { fill: var(--bad); color: var(--bad); } .route-rest { fill: var(--soft); color: var(--soft); }
figcaption { font-weight: 600; margin: 0 0 .4rem; }
.legend { display: inline-block; padding: 0 0 0 1.1em; margin: 0 1rem 0 0; position: relative; font-size: .92rem; }
.legend::before { content: ""; position: absolute; left: 0; top: .4em; width: .75em; height: .75em; border-radius: 2px; background: currentColor; }
@media (max-width: 40rem) { .members { grid-template-columns: minmax(0, 1fr); } .members dt { margin-top: .5rem; } }
`;
