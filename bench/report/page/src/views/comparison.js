// Two profiles: what is different.
import { Chart } from '../chart.js';
import { el, whenNear } from '../dom.js';
import * as format from '../format.js';
import { makeTable } from '../table.js';

export function comparisonView(reports, search) {
  const [a, b] = reports;
  const tables = [
    joined('Categories of memory, all tiles', 'Category', 'bytes', ...reports.map(categoryBytes), search),
    joined('Compute sets, cycles of all executions', 'Compute set', 'cycles', ...reports.map(setCycles), search),
    joined('Steps, cycles of all executions', 'Step', 'cycles', ...reports.map(stepCycles), search),
    joined('Vertex types, number of vertices', 'Vertex type', 'count', ...reports.map(typeCounts), search),
    joined('Variables, bytes', 'Variable', 'bytes', ...reports.map(variableBytes), search),
  ];
  const charts = [
    overlay('Memory per tile', 'tile', a.memory.total, b.memory.total),
    overlay('Live memory over the steps of the programs', 'step', a.liveness.bytes, b.liveness.bytes),
  ].filter(Boolean);
  const element = el('div', {},
    factTable(a, b),
    ...charts.map((chart) => el('div', {}, el('h4', {}, chart.title),
      el('p.legend', {}, el('span.swatch.c0'), ' A, full line ', el('span.swatch.c1'), ' B, dashed line'), chart.element)),
    ...tables.map((table) => table.element));
  return {
    element,
    start: () => charts.forEach((chart) => whenNear(chart.element, () => chart.draw())),
    update: () => tables.forEach((table) => table.update()),
  };
}

function factTable(a, b) {
  const keyOf = (fact) => JSON.stringify([fact.group, fact.name]);
  const others = new Map(b.facts.map((fact) => [keyOf(fact), fact]));
  const ours = new Set(a.facts.map(keyOf));
  const pairs = [...a.facts.map((fact) => [fact, others.get(keyOf(fact))]),
    ...b.facts.filter((fact) => !ours.has(keyOf(fact))).map((fact) => [undefined, fact])];
  const rows = pairs.map(([one, other]) => {
    const { group, name, unit } = one ?? other;
    const show = (fact) => (fact ? format.byUnit(unit, fact.value) : '–');
    return el('tr', { class: show(one) === show(other) ? 'same' : 'different' }, el('th', { scope: 'row', class: 'text' }, `${group}: ${name}`),
      el('td.number', {}, show(one)), el('td.number', {}, show(other)), el('td.number', {}, differenceOf(one, other)));
  });
  const head = ['', 'A', 'B', 'B − A'].map((title) => el('th', { scope: 'col', class: title ? 'number' : 'text' }, title));
  return el('div.scroll', { tabindex: 0, role: 'region', 'aria-label': 'Facts of both profiles' },
    el('table.facts', {}, el('caption', {}, 'Facts'), el('thead', {}, el('tr', {}, ...head)), el('tbody', {}, ...rows)));
}

function differenceOf(one, other) {
  if (!one || !other) return 'only in one';
  if (typeof one.value === 'string' || typeof other.value === 'string') return one.value === other.value ? '=' : 'different';
  return format.difference(one.value, other.value);
}

/** Rows of both sides with the same name, the largest difference first. */
function joined(caption, title, unit, before, after, search) {
  const rows = [...new Set([...before.keys(), ...after.keys()])]
    .map((name) => ({ name, before: before.get(name) ?? 0, after: after.get(name) ?? 0 }));
  const show = (value) => (unit === 'bytes' ? format.bytes(value) : format.count(value));
  return makeTable({
    caption,
    rows,
    filter: (row) => search.matchesText(row.name),
    columns: [
      { title, text: true, value: (row) => row.name },
      { title: 'A', value: (row) => row.before, show: (row) => show(row.before) },
      { title: 'B', value: (row) => row.after, show: (row) => show(row.after) },
      { title: 'B − A', value: (row) => Math.abs(row.after - row.before), show: (row) => format.difference(row.before, row.after) },
    ],
    sort: 3,
  });
}

/** Sums by name. */
function sumBy(count, nameOf, valueOf) {
  const sums = new Map();
  for (let row = 0; row < count; ++row) sums.set(nameOf(row), (sums.get(nameOf(row)) ?? 0) + valueOf(row));
  return sums;
}

const categoryBytes = ({ memory }) => sumBy(memory.categories.length, (c) => memory.categories[c].name,
  (c) => memory.categories[c].bytes.reduce((sum, bytes) => sum + bytes, 0));
const setCycles = (report) => sumBy(report.computeSets.name.length, (set) => report.nameOf(report.computeSets.name[set]),
  (set) => report.computeSets.cycles[set]);
const stepCycles = (report) => sumBy(report.steps.name.length, (step) => report.nameOf(report.steps.name[step]),
  (step) => report.steps.cycles[step] * report.steps.executions[step]);
const typeCounts = (report) => sumBy(report.vertexTypes.name.length, (type) => report.nameOf(report.vertexTypes.name[type]),
  (type) => report.vertexTypes.count[type]);
const variableBytes = (report) => sumBy(report.variables.name.length, (v) => report.nameOf(report.variables.name[v]),
  (v) => report.variables.bytes[v]);

function overlay(title, xLabel, before, after) {
  const count = Math.max(before.length, after.length);
  if (!count) return undefined;
  const padded = (values) => Float64Array.from({ length: count }, (_, index) => values[index] ?? 0);
  const [first, second] = [padded(before), padded(after)];
  const chart = new Chart({
    label: `${title} of both profiles`,
    xLabel,
    count,
    height: 180,
    series: [{ values: first, colour: '--c0' }, { values: second, colour: '--c1', dash: [6, 3] }],
    isBytes: true,
    tell: (index) => `${xLabel} ${index}: A ${format.bytes(first[index])}, B ${format.bytes(second[index])}, ` +
      `B − A ${format.difference(first[index], second[index])}`,
  });
  chart.title = title;
  return chart;
}

