// The execution: when which step ran, and what each step costs.
import { Chart } from '../chart.js';
import { el, replaceContent, whenNear } from '../dom.js';
import * as format from '../format.js';
import { KINDS, indices, valuesOfRuns } from '../report.js';
import { makeList, makeTable } from '../table.js';
import { TraceCanvas } from '../trace/canvas.js';
import { makeRows } from '../trace/rows.js';

export function traceView(report, search) {
  const { execution, steps } = report;
  if (!steps.executions.some(Boolean)) return { element: el('p', {}, 'The profile has no execution.') };
  if (!execution.step.length) return stepsWithoutOrder(report, search);
  const readout = el('output.readout', { 'aria-live': 'off' }, ' ');
  const detail = el('div.detail', { 'aria-live': 'polite' });
  const holder = el('div');
  const state = { entry: -1, trace: null, rows: null };
  const table = stepTable(report, search, (step) => selectEntry(execution.step.indexOf(step)));

  function start() {
    state.rows = makeRows(report);
    state.trace = new TraceCanvas({
      rows: state.rows,
      total: report.tracedCycles,
      label: 'Execution by step over cycles',
      tell: (row, span) => (readout.textContent = tellSpan(row, span)),
      onSelect: (row, span) => (isLane(row) ? selectEntry(row.entries[span]) : selectFrame(row, span)),
      onStep: (by) => selectEntry(Math.min(execution.step.length - 1, Math.max(0, state.entry + by))),
    });
    holder.append(state.trace.element);
    state.trace.start();
    match();
  }

  function isLane(row) {
    return state.rows.lanes.includes(row);
  }

  function tellSpan(row, span) {
    const text = `${state.rows.labels.texts[row.labels[span]] || '(no name)'}: ${format.cycles(row.ends[span] - row.begins[span])} cycles ` +
      `from ${format.cycles(row.begins[span])}`;
    if (!isLane(row)) return text;
    const step = execution.step[row.entries[span]];
    const times = execution.count[row.entries[span]];
    return `${KINDS[steps.kind[step]].name}: ${text}${times > 1 ? `, ${format.count(times)} times in a row` : ''}`;
  }

  function selectEntry(entry) {
    if (entry < 0) return;
    state.entry = entry;
    state.trace?.select(execution.begin[entry], execution.begin[entry + 1]);
    replaceContent(detail, ...stepDetail(report, entry));
    const chart = tileChart(report, execution.step[entry]);
    if (chart) {
      detail.append(chart.element);
      chart.draw();
    }
  }

  function selectFrame(row, span) {
    const [begin, end] = [row.begins[span], row.ends[span]];
    state.trace.select(begin, end);
    replaceContent(detail, ...frameDetail(state.rows, state.rows.labels.texts[row.labels[span]], begin, end, report));
  }

  function match() {
    const texts = state.rows.labels.texts.map((text) => search.matchesText(text));
    state.trace.match((label) => texts[label]);
  }

  const notes = [
    report.executionIsCut && 'More steps were executed than the profile keeps in order.',
    execution.hasLongLoops && 'A loop with too many turns is drawn as if each of its steps did all its turns at once.',
  ].filter(Boolean).map((note) => el('p.note', {}, note));
  const element = el('div', {},
    ...notes,
    el('p', {}, 'Each lane is a kind of step; in it, full colour reaches as high as the mean of the active tiles, pale colour ' +
      'as high as the busiest one. Below are the debug names by depth. Drag to zoom, double-click to see all, click for details; ' +
      'Ctrl and the wheel zoom as well.'),
    holder, readout, detail, table.element);
  return {
    element,
    start: () => whenNear(element, start),
    update: () => { if (state.trace) match(); table.update(); },
  };
}

function stepsWithoutOrder(report, search) {
  const table = stepTable(report, search);
  const element = el('div', {},
    el('p', {}, 'The order of the steps was not recorded; the engine option debug.instrument does so.'), table.element);
  return { element, update: table.update };
}

function balance(report, step) {
  const { meanCycles, maxCycles } = report.steps;
  return maxCycles[step] ? meanCycles[step] / maxCycles[step] : 1;
}

function stepDetail(report, entry) {
  const { execution, steps } = report;
  const step = execution.step[entry];
  return [
    el('h4', {}, `${KINDS[steps.kind[step]].name}: ${report.nameOf(steps.name[step]) || '(no name)'}`),
    makeList([
      ['Begins at', `${format.cycles(execution.begin[entry])} cycles`],
      ['Cycles, each', format.cycles(steps.cycles[step])],
      ['of these sync', format.cycles(steps.syncCycles[step])],
      ['Times in a row', format.count(execution.count[entry])],
      ['Executions', format.count(steps.executions[step])],
      ['Active tiles', format.count(steps.activeTiles[step])],
      ['Active tiles: least', format.cycles(steps.minCycles[step])],
      ['Active tiles: mean', format.cycles(steps.meanCycles[step])],
      ['Active tiles: most', format.cycles(steps.maxCycles[step])],
      ['Tile balance', format.percent(balance(report, step), 1)],
      ['Bytes in', format.bytesInFull(steps.bytesIn[step])],
      ['Bytes out', format.bytesInFull(steps.bytesOut[step])],
    ]),
  ];
}

/** Cycles by tile, where the page has them. */
function tileChart(report, step) {
  const { stepRuns, memory } = report;
  const runs = { owner: stepRuns.step, tile: stepRuns.tile, length: stepRuns.length, value: stepRuns.cycles };
  const values = valuesOfRuns(runs, (owner) => owner === step, memory.total.length);
  return values && new Chart({
    label: 'Cycles of this step by tile',
    xLabel: 'tile',
    count: values.length,
    height: 160,
    series: [{ values, colour: KINDS[report.steps.kind[step]].colour, fill: true }],
    tell: (tile) => `Tile ${tile}: ${format.cycles(values[tile])} cycles`,
  });
}

/** What the kinds of steps take of a stretch of time. */
function frameDetail(rows, name, begin, end, report) {
  const shares = rows.lanes.map((row) => {
    let cycles = 0;
    row.forEachVisible(begin, end, 1e15, ({ first, last }) => {
      for (let i = first; i < last; ++i) cycles += Math.min(end, row.ends[i]) - Math.max(begin, row.begins[i]);
    });
    return [row.title, `${format.cycles(cycles)} cycles (${format.percent(cycles, end - begin)})`];
  });
  return [
    el('h4', {}, name),
    makeList([
      ['From', `${format.cycles(begin)} cycles`],
      ['Cycles', `${format.cycles(end - begin)} (${format.percent(end - begin, report.totalCycles)} of all)`],
      ...shares,
    ]),
  ];
}

function stepTable(report, search, onSelect) {
  const { steps } = report;
  const total = (step) => steps.cycles[step] * steps.executions[step];
  return makeTable({
    caption: 'Steps of the programs',
    rows: indices(steps.kind.length).filter((step) => steps.executions[step]),
    filter: (step) => !search.active || search.matchesOf(report)[steps.name[step]],
    columns: [
      { title: 'Step', text: true, value: (step) => report.nameOf(steps.name[step]) },
      { title: 'Kind', text: true, value: (step) => KINDS[steps.kind[step]].name },
      { title: 'Executions', value: (step) => steps.executions[step] },
      { title: 'Cycles, all', value: total },
      { title: 'Share', value: total, show: (step) => format.percent(total(step), report.totalCycles) },
      { title: 'Cycles, each', value: (step) => steps.cycles[step] },
      { title: 'Least', value: (step) => steps.minCycles[step] },
      { title: 'Mean', value: (step) => steps.meanCycles[step] },
      { title: 'Most', value: (step) => steps.maxCycles[step] },
      { title: 'Balance', value: (step) => balance(report, step), show: (step) => format.percent(balance(report, step), 1) },
      { title: 'Active tiles', value: (step) => steps.activeTiles[step] },
      { title: 'Bytes in', value: (step) => steps.bytesIn[step] },
      { title: 'Bytes out', value: (step) => steps.bytesOut[step] },
    ],
    sort: 3,
    onSelect,
  });
}
