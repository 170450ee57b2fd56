// Memory of each tile: categories on top of each other, with the limit of a tile; the fullest tiles; the variables.
import { Chart } from '../chart.js';
import { el, replaceContent, whenNear } from '../dom.js';
import * as format from '../format.js';
import { indexOfLargest, indices, valuesOfRuns } from '../report.js';
import { makeTable } from '../table.js';

/** Colours of what most profiles have, so that they are the same in two profiles side by side. */
const COLOURS = {
  variable: '--c0', 'vertex code': '--c1', 'internal exchange code': '--c2', stack: '--c3', 'control code': '--c4',
  'vertex instance state': '--c5', 'vertex field data': '--c6', gaps: '--c7', constant: '--c8', 'host exchange code': '--c9',
  'vector list descriptor': '--c10', 'not interleaved': '--c0', interleaved: '--c1', overflowed: '--c5',
};
const OTHERS = '--c11';

export function memoryView(report, search) {
  const { memory } = report;
  const numTiles = memory.total.length;
  if (!numTiles) return { element: el('p', {}, 'The profile has no memory of tiles.') };
  const peak = indexOfLargest(memory.total);
  const state = { layers: null, hidden: new Set(), tile: peak };
  const legend = el('div.legend', { role: 'group', 'aria-label': 'Shown in the chart' });
  const detail = el('div.detail', { 'aria-live': 'polite' });
  const chart = new Chart({
    label: 'Memory per tile',
    xLabel: 'tile',
    count: numTiles,
    series: choose(memory.categories),
    isBytes: true,
    limit: { value: memory.limit, label: `limit of a tile: ${format.bytes(memory.limit)}` },
    tell: (tile) => tellTile(report, state.layers, tile),
    onSelect: (tile) => showTile(tile),
  });

  /** Shows these layers, and returns their series. */
  function choose(categories) {
    state.layers = largestFirst(categories);
    state.hidden.clear();
    legend.replaceChildren(...state.layers.map((layer) => legendEntry(layer, (on) => {
      state.hidden[on ? 'delete' : 'add'](layer.name);
      chart.setSeries(series());
    })));
    return series();
  }

  /** Layers, then an outline of what the search finds. */
  function series() {
    const found = search.active ? variableBytes(report, (variable) => search.matchesOf(report)[report.variables.name[variable]]) : undefined;
    return [...stack(state.layers, numTiles, state.hidden),
      { values: found ?? new Float64Array(numTiles), colour: '--text', width: found ? 2 : 0 }];
  }

  function showTile(tile) {
    state.tile = tile;
    replaceContent(detail, el('h4', {}, `Tile ${tile}: ${format.bytesInFull(memory.total[tile])}`),
      el('div.columns', {}, tileTable(report, largestFirst(memory.categories), tile).element, tileVariables(report, search, tile)?.element));
  }

  const scale = el('label', {}, el('input', { type: 'checkbox', on: { change: (e) => chart.scaleToLimit(e.target.checked) } }),
    ' scale to the limit');
  const regions = el('label', {}, el('input', { type: 'checkbox', on: { change: (event) => {
    chart.replaceSeries(choose(event.target.checked ? memory.regions : memory.categories));
  } } }), ' by region');
  const variables = variableTable(report, search);
  const element = el('div', {},
    el('p.peak', { 'data-tile': peak, 'data-bytes': memory.total[peak] },
      `Peak: tile ${peak} with ${format.bytesInFull(memory.total[peak])}, ` +
      `${format.percent(memory.total[peak], memory.limit)} of the limit. ${tellOver(memory)}`),
    el('div.bar', {}, legend, el('div', {}, regions, ' ', scale)), chart.element, detail,
    el('div.columns', {}, fullestTable(memory, numTiles, (tile) => chart.select(tile)).element, variables.element));
  return {
    element,
    start: () => whenNear(element, () => { chart.draw(); chart.select(peak); }),
    update: () => { chart.setSeries(series()); variables.update(); showTile(state.tile); },
  };
}

function tellOver(memory) {
  const over = memory.total.reduce((sum, bytes) => sum + (bytes > memory.limit), 0);
  return over ? `${format.count(over)} tiles are over the limit.` : 'No tile is over the limit.';
}

export function largestFirst(categories) {
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  return categories.map((category) => ({ ...category, sum: sum(category.bytes) }))
    .filter((category) => category.sum > 0)
    .sort((a, b) => b.sum - a.sum)
    .map((category) => ({ ...category, colour: Object.hasOwn(COLOURS, category.name) ? COLOURS[category.name] : OTHERS }));
}

/** The highest sum first, so that lower ones are drawn over it. */
function stack(categories, numTiles, hidden) {
  const below = new Float64Array(numTiles);
  const layers = [];
  for (const category of categories) {
    if (!hidden.has(category.name)) for (let tile = 0; tile < numTiles; ++tile) below[tile] += category.bytes[tile];
    layers.push({ values: below.slice(), colour: category.colour, fill: true });
  }
  return layers.reverse();
}

function legendEntry(layer, onChange) {
  return el('label', {},
    el('input', { type: 'checkbox', checked: true, on: { change: (event) => onChange(event.target.checked) } }),
    el('span', { class: `swatch ${layer.colour.slice(2)}` }), ` ${layer.name} `, el('span.note', {}, format.bytes(layer.sum)));
}

function tellTile(report, categories, tile) {
  const parts = categories.filter((category) => category.bytes[tile] > 0)
    .map((category) => `${category.name} ${format.bytes(category.bytes[tile])}`);
  return `Tile ${tile}: ${format.bytesInFull(report.memory.total[tile])}` + (parts.length ? ` = ${parts.join(' + ')}` : '');
}

function tileTable({ memory }, categories, tile) {
  return makeTable({
    caption: `Categories on tile ${tile}`,
    rows: categories.filter((category) => category.bytes[tile] > 0),
    columns: [
      { title: 'Category', text: true, value: (category) => category.name },
      { title: 'Bytes', value: (category) => category.bytes[tile] },
      { title: 'Share', value: (category) => category.bytes[tile], show: (c) => format.percent(c.bytes[tile], memory.total[tile]) },
    ],
    sort: 1,
  });
}

/** Bytes by tile of some variables; undefined when the profile does not say where they lie. */
function variableBytes({ variableRuns, memory }, isWanted) {
  const runs = { owner: variableRuns.variable, tile: variableRuns.tile, length: variableRuns.length, value: variableRuns.bytes };
  return valuesOfRuns(runs, isWanted, memory.total.length);
}

function tileVariables(report, search, tile) {
  const { variables, variableRuns: runs } = report;
  const rows = indices(runs.tile.length).filter((row) => runs.tile[row] <= tile && tile < runs.tile[row] + runs.length[row]);
  if (!rows.length) return undefined;
  return makeTable({
    caption: `Variables on tile ${tile}`,
    rows,
    filter: (row) => !search.active || search.matchesOf(report)[variables.name[runs.variable[row]]],
    columns: [
      { title: 'Variable', text: true, value: (row) => report.nameOf(variables.name[runs.variable[row]]) },
      { title: 'Bytes', value: (row) => runs.bytes[row] },
      { title: 'Always live', text: true, value: (row) => (variables.alwaysLive[runs.variable[row]] ? 'yes' : 'no') },
    ],
    sort: 1,
  });
}

function fullestTable(memory, numTiles, onSelect) {
  return makeTable({
    caption: 'Tiles',
    rows: indices(numTiles),
    columns: [
      { title: 'Tile', value: (tile) => tile, show: (tile) => String(tile) },
      { title: 'Bytes', value: (tile) => memory.total[tile] },
      { title: 'Always live', value: (tile) => memory.alwaysLive[tile] },
      { title: 'Of the limit', value: (tile) => memory.total[tile], show: (tile) => format.percent(memory.total[tile], memory.limit) },
    ],
    sort: 1,
    onSelect,
  });
}

function variableTable(report, search) {
  const { variables } = report;
  return makeTable({
    caption: 'Variables',
    rows: indices(variables.name.length),
    filter: (variable) => !search.active || search.matchesOf(report)[variables.name[variable]],
    columns: [
      { title: 'Variable', text: true, value: (variable) => report.nameOf(variables.name[variable]) },
      { title: 'Bytes', value: (variable) => variables.bytes[variable] },
      { title: 'Always live', text: true, value: (variable) => (variables.alwaysLive[variable] ? 'yes' : 'no') },
    ],
    sort: 1,
  });
}
