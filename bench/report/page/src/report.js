// One profile as the views want it. What each field means is said in bench/report/PageData.hpp.
import { decodeColumn } from './codec.js';

export const FORMAT = 1;

/** Of the execution list, so that making the rows of the trace takes a fraction of a second. */
const MOST_ENTRIES = 100_000;

const TABLES = ['variables', 'variableRuns', 'liveness', 'lifetimes', 'computeSets', 'setVertices', 'vertexTypes', 'steps',
  'stepRuns', 'execution', 'groups'];

/** Kinds of steps in the order of their numbers; `lane` is the row of the execution trace. */
export const KINDS = [
  { name: 'Compute', lane: 'Compute', colour: '--compute' },
  { name: 'Exchange', lane: 'Exchange', colour: '--exchange' },
  { name: 'On-tile copy', lane: 'On-tile copy', colour: '--copy' },
  { name: 'Host and remote', lane: 'Host', colour: '--host' },
  { name: 'Sync', lane: 'Sync', colour: '--sync' },
  { name: 'Control', lane: 'Control', colour: '--control' },
];

/** Columns become arrays of numbers; all else stays as it is. */
function decodeTable(table) {
  const columns = {};
  for (const [key, text] of Object.entries(table)) columns[key] = decodeColumn(text);
  return columns;
}

/** @param data  the parsed JSON of one <script class="report"> */
export function decodeReport(data) {
  if (data.format !== FORMAT) throw new Error(`data of format ${data.format}, and this page reads ${FORMAT}`);
  const { names, memory } = data;
  const decodeCategories = (all) => all.map(({ name, bytes }) => ({ name, bytes: decodeColumn(bytes) }));
  const report = {
    file: data.file,
    facts: data.facts,
    names,
    memory: {
      limit: memory.limit,
      total: decodeColumn(memory.total),
      alwaysLive: decodeColumn(memory.alwaysLive),
      categories: decodeCategories(memory.categories),
      regions: decodeCategories(memory.regions),
    },
    runs: data.runs,
    executionIsCut: data.executionIsCut,
    plans: data.plans,
    nameOf: (index) => names[index] ?? '',
  };
  for (const table of TABLES) report[table] = decodeTable(data[table]);
  unrollExecution(report);
  report.totalCycles = report.steps.cycles.reduce((sum, cycles, step) => sum + cycles * report.steps.executions[step], 0);
  return report;
}

/**
 * The execution list with loops unrolled, and where in time each entry begins. A loop that would make it longer than
 * MOST_ENTRIES is shown as if each of its steps did all its turns at once.
 */
function unrollExecution(report) {
  const { steps, groups } = report;
  const { step, count } = report.execution;
  const unrolled = { step: [], count: [], begin: [0], hasLongLoops: false };
  let time = 0;
  const add = (place, times) => {
    unrolled.step.push(step[place]);
    unrolled.count.push(times);
    unrolled.begin.push((time += steps.cycles[step[place]] * times));
  };
  for (let group = 0, first = 0; group < groups.entries.length; first += groups.entries[group++]) {
    const end = first + groups.entries[group];
    const repeats = groups.repeats[group];
    const fits = unrolled.step.length + (end - first) * repeats <= MOST_ENTRIES;
    unrolled.hasLongLoops ||= !fits;
    for (let turn = 0; turn < (fits ? repeats : 1); ++turn)
      for (let place = first; place < end; ++place) add(place, count[place] * (fits ? 1 : repeats));
  }
  report.execution = unrolled;
  report.tracedCycles = time;
}

export function indices(count) {
  return Array.from({ length: count }, (_, index) => index);
}

export function indexOfLargest(values) {
  let best = 0;
  for (let index = 1; index < values.length; ++index) if (values[index] > values[best]) best = index;
  return best;
}

/** The rows of a table of runs that belong to `owner`, as one value a thing; undefined when there are none. */
export function valuesOfRuns({ owner, tile, length, value }, wanted, count) {
  let values;
  for (let row = 0; row < owner.length; ++row) {
    if (!wanted(owner[row])) continue;
    values ??= new Float64Array(count);
    for (let at = tile[row]; at < tile[row] + length[row]; ++at) values[at] += value[row];
  }
  return values;
}
