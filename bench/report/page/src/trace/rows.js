// From the execution list to the rows of the trace: runs, one lane a kind of step, and the debug names by depth.
import { KINDS } from '../report.js';
import { Row } from './spans.js';

const MOST_DEPTHS = 8;
const SYNC = KINDS.findIndex((kind) => kind.lane === 'Sync');

/** Texts by number, both ways. */
class Labels {
  texts = [];
  #numbers = new Map();

  number(text) {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.texts.length;
      this.texts.push(text);
      this.#numbers.set(text, number);
    }
    return number;
  }
}

/** @returns {{runs, lanes, depths, labels}}: rows, of which that of runs may be empty, and the texts of their labels */
export function makeRows(report) {
  const { execution, steps } = report;
  const labels = new Labels();
  const lanes = KINDS.map((kind) => new Row(kind.lane));
  const depths = Array.from({ length: MOST_DEPTHS }, (_, depth) => new Row(depth ? '' : 'Names', true));
  const pathOf = rememberPaths(report, labels);
  for (let entry = 0; entry < execution.step.length; ++entry) {
    const step = execution.step[entry];
    const begin = execution.begin[entry];
    const end = execution.begin[entry + 1];
    if (begin === end) continue;
    const path = pathOf(step);
    addToLanes(lanes, steps, step, { begin, end, label: path.at(-1) ?? labels.number('(no name)'), entry });
    path.forEach((label, depth) => depths[depth].add(begin, end, label, entry));
  }
  const runs = runRow(report, labels);
  const rows = { runs, lanes: lanes.filter((row) => row.count), depths: depths.filter((row) => row.count), labels };
  for (const row of [runs, ...rows.lanes, ...rows.depths]) row.finish();
  return rows;
}

/** A step begins with its sync; of several executions in a row, all syncs are drawn first. */
function addToLanes(lanes, steps, step, { begin, end, label, entry }) {
  const kind = steps.kind[step];
  const share = steps.cycles[step] ? steps.syncCycles[step] / steps.cycles[step] : 0;
  const middle = kind === SYNC ? begin : begin + (end - begin) * share;
  if (middle > begin) lanes[SYNC].add(begin, middle, label, entry);
  const worked = steps.maxCycles[step] ? steps.meanCycles[step] / steps.maxCycles[step] : 1;
  if (end > middle) lanes[kind].add(middle, end, label, entry, (end - middle) * worked);
}

/** "a/b/c" as the labels of "a", "a/b" and "a/b/c". */
function rememberPaths(report, labels) {
  const known = new Map();
  return (step) => {
    const name = report.steps.name[step];
    if (!known.has(name)) {
      const parts = report.nameOf(name).split('/').filter(Boolean);
      const shown = Math.min(parts.length, MOST_DEPTHS);
      const path = Array.from({ length: shown }, (_, depth) =>
        labels.number(parts.slice(0, depth + 1 === shown ? parts.length : depth + 1).join('/')));
      known.set(name, path);
    }
    return known.get(name);
  };
}

function runRow(report, labels) {
  const row = new Row('Runs');
  report.runs.forEach(({ name, begin, end }) => {
    if (end > begin) row.add(begin, end, labels.number(name || '(no name)'), 0);
  });
  return row;
}

/** The last part of a name, which is what there is room for. */
export function shortName(name) {
  return name.slice(name.lastIndexOf('/') + 1);
}
