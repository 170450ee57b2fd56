// Memory over the steps of the programs, and what is alive at one of them.
import { Chart } from '../chart.js';
import { el, replaceContent, whenNear } from '../dom.js';
import * as format from '../format.js';
import { KINDS, indexOfLargest, indices } from '../report.js';
import { makeTable } from '../table.js';

export function livenessView(report, search) {
  const { liveness, lifetimes, memory } = report;
  const numSteps = liveness.bytes.length;
  if (!numSteps) return { element: el('p', {}, 'The profile has no liveness of variables.') };
  const always = memory.alwaysLive.reduce((sum, bytes) => sum + bytes, 0);
  const peak = indexOfLargest(liveness.bytes);
  const state = { step: peak, withAlways: false, table: null };
  const detail = el('div.detail', { 'aria-live': 'polite' });

  const chart = new Chart({
    label: 'Live memory over the steps of the programs',
    xLabel: 'step of the programs',
    count: numSteps,
    series: curves(),
    isBytes: true,
    tell: (step) => `${titleOf(step)}: ` +
      `${format.bytesInFull(liveness.bytes[step])} besides what is always live`,
    onSelect: (step) => show(step),
  });

  function titleOf(step) {
    return `Step ${step}: ${KINDS[liveness.kind[step]].name}: ${report.nameOf(liveness.name[step]) || '(no name)'}`;
  }

  /** Bytes of the variables that the search finds, when it is on. */
  function foundBytes() {
    const matches = search.matchesOf(report);
    const change = new Float64Array(numSteps + 1);
    for (let life = 0; life < lifetimes.name.length; ++life) {
      if (!matches[lifetimes.name[life]]) continue;
      change[lifetimes.from[life]] += lifetimes.bytes[life];
      change[lifetimes.to[life]] -= lifetimes.bytes[life];
    }
    for (let step = 1; step < numSteps; ++step) change[step] += change[step - 1];
    return change.subarray(0, numSteps);
  }

  function curves() {
    const base = state.withAlways ? always : 0;
    const lifted = (values) => values.map((value) => value + base);
    return [
      { values: lifted(liveness.bytes), colour: '--c0', fill: true },
      { values: search.active ? lifted(foundBytes()) : new Float64Array(numSteps).fill(base), colour: '--c1', fill: true },
      { values: new Float64Array(numSteps).fill(base), colour: '--c7', fill: true },
    ];
  }

  function show(step) {
    state.step = step;
    state.table = makeTable({
      caption: `Variables alive at step ${step}`,
      rows: indices(lifetimes.name.length).filter((life) => lifetimes.from[life] <= step && step < lifetimes.to[life]),
      filter: (life) => !search.active || search.matchesOf(report)[lifetimes.name[life]],
      columns: [
        { title: 'Variable', text: true, value: (life) => report.nameOf(lifetimes.name[life]) },
        { title: 'Bytes', value: (life) => lifetimes.bytes[life] },
        { title: 'From step', value: (life) => lifetimes.from[life], show: (life) => String(lifetimes.from[life]) },
        { title: 'To step', value: (life) => lifetimes.to[life] - 1, show: (life) => String(lifetimes.to[life] - 1) },
      ],
      sort: 1,
    });
    replaceContent(detail,
      el('h4', {}, titleOf(step)),
      el('p', {}, `${format.bytesInFull(liveness.bytes[step])} live, and ${format.bytesInFull(always)} always live.`),
      state.table.element);
  }

  const toggle = el('label', {}, el('input', { type: 'checkbox', on: { change: (event) => {
    state.withAlways = event.target.checked;
    chart.setSeries(curves());
  } } }), ' with what is always live');
  const element = el('div', {},
    el('p.peak', { 'data-step': peak, 'data-bytes': liveness.bytes[peak] },
      `Peak: step ${peak} with ${format.bytesInFull(liveness.bytes[peak])} besides ${format.bytesInFull(always)} always live, in all tiles. ` +
      'Click a step, or press Enter on it, to see what is alive.'),
    el('div.bar', {}, toggle), chart.element, detail);
  return {
    element,
    start: () => whenNear(element, () => { chart.draw(); chart.select(peak); }),
    update: () => { chart.setSeries(curves()); state.table?.update(); },
  };
}
