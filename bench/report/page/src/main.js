// Puts the page together: for each view a section, in it a column a profile.
import { el } from './dom.js';
import { decodeReport } from './report.js';
import { Search } from './search.js';
import { comparisonView } from './views/comparison.js';
import { livenessView } from './views/liveness.js';
import { memoryView } from './views/memory.js';
import { plansView } from './views/plans.js';
import { summaryView } from './views/summary.js';
import { traceView } from './views/trace.js';
import { verticesView } from './views/vertices.js';

const VIEWS = [
  { id: 'summary', title: 'Summary', make: summaryView },
  { id: 'memory', title: 'Memory', make: memoryView },
  { id: 'liveness', title: 'Liveness', make: livenessView },
  { id: 'execution', title: 'Execution', make: traceView },
  { id: 'vertices', title: 'Compute sets', make: verticesView },
  { id: 'plans', title: 'Plans', make: plansView },
];

const SEARCH_DELAY = 120; // milliseconds

function readReports() {
  return [...document.querySelectorAll('script.report')].map((block) => decodeReport(JSON.parse(block.textContent)));
}

function makeSection(id, title, contents) {
  return el('section', { id, 'aria-labelledby': `${id}-title` }, el('h2', { id: `${id}-title` }, title), ...contents);
}

function letter(reports, index) {
  return reports.length > 1 ? `${'AB'[index]}: ` : '';
}

function makeColumns(reports, views) {
  return el('div', { class: `profiles of${reports.length}` }, ...views.map((view, index) =>
    el('div.profile', {},
      reports.length > 1 ? el('h3', {}, letter(reports, index) + reports[index].file) : undefined,
      view ? view.element : el('p', {}, 'None in this profile.'))));
}

/** [id, title, maker of the views, maker of the content] of each section. */
function planSections(reports, search) {
  const plans = VIEWS.map(({ id, title, make }) => ({
    id,
    title,
    makeViews: () => reports.map((report) => make(report, search)),
    makeContent: (views) => makeColumns(reports, views),
  }));
  if (reports.length > 1)
    plans.unshift({
      id: 'comparison',
      title: 'Comparison',
      makeViews: () => [comparisonView(reports, search)],
      makeContent: ([view]) => view.element,
    });
  return plans;
}

/** One section after the other, so that the first is seen while the last are made. */
async function addSections(reports, search, views) {
  const main = document.querySelector('main');
  const nav = document.querySelector('nav');
  main.replaceChildren();
  for (const { id, title, makeViews, makeContent } of planSections(reports, search)) {
    const made = makeViews();
    if (!made.some(Boolean)) continue;
    main.append(makeSection(id, title, [makeContent(made)]));
    nav.append(el('a', { href: `#${id}` }, title));
    for (const view of made.filter(Boolean)) {
      views.push(view);
      view.start?.();
    }
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** How many of the profiles' texts a search has found. */
function tellFound(output, reports, search) {
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const found = sum(reports.map((report) => sum(search.matchesOf(report))));
  output.textContent = search.active ? `${found} found` : '';
}

function connectSearch(input, search) {
  let timer;
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => search.set(input.value), SEARCH_DELAY);
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target.closest('input')) return;
    event.preventDefault();
    input.focus();
  });
}

async function start() {
  const reports = readReports();
  const search = new Search();
  const views = [];
  document.title = `${reports.map((report) => report.file).join(' and ')} – profile`;
  document.querySelector('h1').append(` ${reports.map((report, index) => letter(reports, index) + report.file).join(', ')}`);
  search.onChange(() => {
    tellFound(document.querySelector('#found'), reports, search);
    views.forEach((view) => view.update?.());
  });
  connectSearch(document.querySelector('#search'), search);
  await addSections(reports, search, views);
  document.documentElement.dataset.ready = 'yes';
}

start().catch((error) => {
  document.querySelector('main').replaceChildren(el('p.error', { role: 'alert' }, `The data cannot be shown: ${error.message}`));
  throw error;
});
